package workers

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// chunkName is what stacks call the bundled script. The pool looks for it to put the
// positions in the files as written in its place.
const chunkName = "functions.bundle.js"

// failureOf describes what a turn ended with.
func (in *instance) failureOf(err error) failure {
	var fault *jsrt.Fault
	if errors.As(err, &fault) {
		in.dead = true
		switch fault.Reason {
		case "stack":
			f := failure{code: "exception", message: "RangeError: " + fault.Text}
			var ex interface{ Error() string }
			if e, ok := fault.Cause.(error); ok && errors.As(e, &ex) {
				f.stack = in.mapStack(firstLines(ex.Error(), 12))
			}
			return f
		case "interrupt":
			if code, ok := fault.Cause.(string); ok {
				in.met = code
				return failure{code: code, message: limitMessage(code)}
			}
		}
		return failure{code: "internal", message: "the runtime failed"}
	}
	var ex *goja.Exception
	if errors.As(err, &ex) {
		f := in.describe(ex.Value())
		if f.stack == "" {
			f.stack = in.mapStack(stackOf(ex.Stack()))
		}
		return f
	}
	return failure{code: "exception", message: err.Error()}
}

// describe says what a thrown value is, without trusting it: getters of its own
// may throw or lie.
func (in *instance) describe(v goja.Value) failure {
	f := failure{code: "exception"}
	o, ok := v.(*goja.Object)
	if !ok {
		f.message = "thrown: " + in.inspect(v)
		return f
	}
	text := func(name string) string {
		var s string
		if in.dead {
			return ""
		}
		if code := in.peek(func() {
			if p := o.Get(name); p != nil && goja.IsString(p) {
				s = p.String()
			}
		}); code != "" {
			f.code = code
		}
		return clip(s, 16<<10)
	}
	name, message := text("name"), text("message")
	switch {
	case name != "" && message != "":
		f.message = name + ": " + message
	case name != "" || message != "":
		f.message = name + message
	default:
		f.message = "thrown: " + in.inspect(v)
	}
	if code := text("code"); strings.HasPrefix(code, "limit_") {
		f.code = code
	}
	stack := text("stack")
	for _, frame := range []string{"\n\tat ", "\n" + stackIndent + "at "} { // goja's form, and that of one that was read
		if i := strings.Index(stack, frame); i >= 0 {
			f.stack = in.mapStack(stack[i+1:])
			break
		}
	}
	return f
}

// inspect is [webapi.Realm.Inspect] for use anywhere.
func (in *instance) inspect(v goja.Value) (s string) {
	if !in.dead {
		in.peek(func() { s = in.realm.Inspect(v) })
	}
	return s
}

// peek runs fn, which may run a getter that throws, in a turn or outside of one. If the getter overflows the
// stack or is interrupted, the instance is done for, and an interrupt's code is returned.
func (in *instance) peek(fn func()) (code string) {
	turn := in.r.running(in)
	defer func() {
		in.r.running(turn)
		if turn != nil {
			return // what ends the turn passes
		}
		var stopped *goja.InterruptedError
		if x := recover(); x != nil {
			in.dead = true
			if err, ok := x.(error); ok && errors.As(err, &stopped) {
				code, _ = stopped.Value().(string)
				in.met = code
			}
		}
	}()
	in.realm.Try(fn)
	return code
}

// stackIndent stands before the frames of a stack in V8's form.
const stackIndent = "    "

// mapStack rewrites a stack of goja's, "\tat f (functions.bundle.js:1:2(3))", so that
// positions are those in the code that was compiled and lines look as V8's do.
func (in *instance) mapStack(stack string) string {
	if !strings.Contains(stack, chunkName) {
		return stack
	}
	var out strings.Builder
	for line := range strings.Lines(stack) {
		frame, ok := strings.CutPrefix(line, "\tat ")
		before, after, ours := strings.Cut(frame, chunkName+":")
		if !ok || ours && strings.Contains(before, chunkName) {
			out.WriteString(line) // of the message
			continue
		}
		l, col, rest, ok := position(after)
		if !ours || !ok {
			if !strings.Contains(line, "(native)") && !strings.Contains(line, "samkit:") { // of the runtime
				out.WriteString(line)
			}
			continue
		}
		l, col = in.program.Unpatch(l, col)
		out.WriteString(stackIndent + "at " + before + chunkName + ":" + strconv.Itoa(l) + ":" + strconv.Itoa(col) + rest)
	}
	return strings.TrimRight(out.String(), "\n")
}

// position reads "12:34(56)" and returns what follows.
func position(s string) (line, col int, rest string, ok bool) {
	first, s, ok := strings.Cut(s, ":")
	if !ok {
		return
	}
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	line, err1 := strconv.Atoi(first)
	col, err2 := strconv.Atoi(s[:end])
	rest = s[end:]
	if strings.HasPrefix(rest, "(") {
		if _, after, found := strings.Cut(rest, ")"); found {
			rest = after
		}
	}
	return line, col, rest, err1 == nil && err2 == nil
}

// stackOf renders frames as an error's stack property does.
func stackOf(frames []goja.StackFrame) string {
	var b strings.Builder
	for i := range frames {
		f := &frames[i]
		pos := f.Position()
		if f.SrcName() == "<native>" || strings.HasPrefix(f.SrcName(), "samkit:") {
			continue
		}
		b.WriteString("\tat " + f.FuncName() + " (" + f.SrcName() + ":" + strconv.Itoa(pos.Line) + ":" + strconv.Itoa(pos.Column) + ")\n")
	}
	return b.String()
}

func firstLines(s string, n int) string {
	for i := range s {
		if s[i] == '\n' {
			if n--; n == 0 {
				return s[:i]
			}
		}
	}
	return s
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// limitMessage is what the caller reads about a limit.
func limitMessage(code string) string {
	switch code {
	case "limit_wall":
		return "the request took longer than its time limit"
	case "limit_cpu":
		return "the request used more CPU time than its limit"
	case "limit_memory":
		return "the request used more memory than its limit"
	case "limit_calls":
		return "the request made more calls to its bindings than its limit"
	case "limit_request_body":
		return "the request body is larger than its limit"
	case "limit_response_body":
		return "the response body is larger than its limit"
	case "limit_fetches":
		return "the request fetched more often than its limit; every redirect that is followed counts"
	case "limit_fetch_headers":
		return "the URL and the headers of a request that was fetched are larger than their limit"
	case "limit_fetch_request":
		return "the body of a request that was fetched is larger than its limit"
	case "limit_fetch_response":
		return "the body of a response that was fetched is larger than its limit"
	case "limit_console":
		return "the request printed more to the console than its limit"
	}
	return code
}
