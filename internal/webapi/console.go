package webapi

import (
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// consoleGlobals is console.
var consoleGlobals = []global{{"console", (*Realm).newConsole}}

// Frames of the call stack that go with an entry: enough to name the place, or to explain.
const (
	shortStack = 8
	longStack  = 32
)

// maxGroups bounds the indentation of console.group.
const maxGroups = 20

// maxLabels bounds the labels that count and time remember.
const maxLabels = 1000

// A console is the namespace object console of one realm. Its methods are made
// when first used, since programs use two or three of them; hence an object
// whose properties Go gives.
type console struct {
	r       *Realm
	members map[string]goja.Value // made or set by code; nil: deleted
	order   []string
	groups  int
	counts  map[string]int64
	timers  map[string]time.Time
}

// consoleMethods are the members of console in the order of the standard.
var consoleMethods = []string{
	"assert", "clear", "debug", "error", "info", "log", "table", "trace", "warn", "dir", "dirxml",
	"count", "countReset", "group", "groupCollapsed", "groupEnd", "time", "timeLog", "timeEnd",
	"timeStamp", "profile", "profileEnd",
}

func (r *Realm) newConsole() goja.Value {
	c := &console{r: r, members: map[string]goja.Value{}, order: slices.Clone(consoleMethods)}
	o := r.VM.NewDynamicObject(c)
	proto := r.VM.NewObject()
	proto.DefineDataPropertySymbol(goja.SymToStringTag, r.VM.ToValue("console"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	o.SetPrototype(proto)
	return o
}

// Get implements goja.DynamicObject.
func (c *console) Get(key string) goja.Value {
	if v, ok := c.members[key]; ok {
		return v
	}
	fn := c.method(key)
	if fn == nil {
		return nil
	}
	v := c.r.Func(key, 0, func(call goja.FunctionCall) goja.Value {
		fn(call.Arguments)
		return goja.Undefined()
	})
	c.members[key] = v
	return v
}

// Set implements goja.DynamicObject.
func (c *console) Set(key string, v goja.Value) bool {
	if !c.Has(key) {
		c.order = append(c.order, key)
	}
	c.members[key] = v
	return true
}

// Has implements goja.DynamicObject.
func (c *console) Has(key string) bool {
	if v, ok := c.members[key]; ok {
		return v != nil
	}
	return slices.Contains(consoleMethods, key)
}

// Delete implements goja.DynamicObject.
func (c *console) Delete(key string) bool {
	if c.Has(key) {
		c.members[key] = nil
		c.order = slices.DeleteFunc(slices.Clone(c.order), func(s string) bool { return s == key })
	}
	return true
}

// Keys implements goja.DynamicObject.
func (c *console) Keys() []string { return slices.Clone(c.order) }

// method returns what a member of console does.
func (c *console) method(name string) func(args []goja.Value) {
	logger := func(level slog.Level) func([]goja.Value) {
		stack := shortStack
		if level >= slog.LevelWarn {
			stack = longStack
		}
		return func(args []goja.Value) { c.log(level, c.r.format(args), stack) }
	}
	switch name {
	case "log", "info", "dirxml":
		return logger(slog.LevelInfo)
	case "debug":
		return logger(slog.LevelDebug)
	case "warn":
		return logger(slog.LevelWarn)
	case "error":
		return logger(slog.LevelError)
	case "trace":
		return func(args []goja.Value) {
			c.log(slog.LevelInfo, strings.TrimSuffix("Trace: "+c.r.format(args), ": "), longStack)
		}
	case "assert":
		return c.assert
	case "dir":
		return func(args []goja.Value) { c.log(slog.LevelInfo, c.r.Inspect(argument(args, 0)), shortStack) }
	case "table":
		return func(args []goja.Value) {
			c.log(slog.LevelInfo, c.r.table(argument(args, 0), argument(args, 1)), shortStack)
		}
	case "group", "groupCollapsed":
		return func(args []goja.Value) {
			if len(args) > 0 {
				c.log(slog.LevelInfo, c.r.format(args), shortStack)
			}
			c.groups++
		}
	case "groupEnd":
		return func([]goja.Value) { c.groups = max(0, c.groups-1) }
	case "count", "countReset":
		return func(args []goja.Value) { c.count(c.label(args), name == "countReset") }
	case "time":
		return func(args []goja.Value) { c.time(c.label(args)) }
	case "timeLog":
		return func(args []goja.Value) { c.timeLog(args, false) }
	case "timeEnd":
		return func(args []goja.Value) { c.timeLog(args, true) }
	case "clear", "timeStamp", "profile", "profileEnd":
		return func([]goja.Value) {}
	}
	return nil
}

func argument(args []goja.Value, i int) goja.Value {
	if i < len(args) {
		return args[i]
	}
	return goja.Undefined()
}

// log hands an entry to the host, indented by its groups.
func (c *console) log(level slog.Level, text string, stack int) {
	if c.groups > 0 {
		pad := strings.Repeat("  ", min(c.groups, maxGroups))
		text = pad + strings.ReplaceAll(text, "\n", "\n"+pad)
	}
	frames := c.r.VM.CaptureCallStack(stack, nil)
	for len(frames) > 0 && frames[0].SrcName() == "<native>" { // console.log itself
		frames = frames[1:]
	}
	for len(frames) > 0 && ownFrame(&frames[len(frames)-1]) {
		frames = frames[:len(frames)-1]
	}
	c.r.Host.Log(level, text, frames)
}

func (c *console) assert(args []goja.Value) {
	if argument(args, 0).ToBoolean() {
		return
	}
	text := "Assertion failed"
	if len(args) > 1 {
		text += ": " + c.r.format(args[1:])
	}
	c.log(slog.LevelError, text, longStack)
}

func (c *console) label(args []goja.Value) string {
	if v := argument(args, 0); !goja.IsUndefined(v) {
		return cut(c.r.str(v), 1000)
	}
	return "default"
}

func (c *console) count(label string, reset bool) {
	_, known := c.counts[label]
	switch {
	case reset && !known:
		c.log(slog.LevelWarn, "Count for '"+label+"' does not exist", longStack)
		return
	case reset:
		delete(c.counts, label)
		return
	case !known && len(c.counts) >= maxLabels:
		c.log(slog.LevelWarn, "Count for '"+label+"' is not kept: there are too many labels", longStack)
		return
	case c.counts == nil:
		c.counts = map[string]int64{}
	}
	c.counts[label]++
	c.log(slog.LevelInfo, label+": "+strconv.FormatInt(c.counts[label], 10), shortStack)
}

func (c *console) time(label string) {
	_, known := c.timers[label]
	switch {
	case known:
		c.log(slog.LevelWarn, "Timer '"+label+"' already exists", longStack)
		return
	case len(c.timers) >= maxLabels:
		c.log(slog.LevelWarn, "Timer '"+label+"' is not kept: there are too many labels", longStack)
		return
	case c.timers == nil:
		c.timers = map[string]time.Time{}
	}
	c.timers[label] = c.r.Host.Now()
}

func (c *console) timeLog(args []goja.Value, end bool) {
	label := c.label(args)
	start, known := c.timers[label]
	if !known {
		c.log(slog.LevelWarn, "Timer '"+label+"' does not exist", longStack)
		return
	}
	ms := float64(c.r.Host.Now().Sub(start)) / float64(time.Millisecond)
	text := label + ": " + strconv.FormatFloat(ms, 'f', 3, 64) + "ms"
	if end {
		delete(c.timers, label)
	} else if len(args) > 1 {
		text += " " + c.r.format(args[1:])
	}
	c.log(slog.LevelInfo, text, shortStack)
}

var _ goja.DynamicObject = (*console)(nil)

// format is the Formatter of the Console standard: the first argument may hold
// specifiers for those that follow; the others stand after it.
func (r *Realm) format(args []goja.Value) string {
	var b strings.Builder
	if len(args) > 1 && goja.IsString(args[0]) {
		if s := head(args[0], inspectBytes); strings.Contains(s, "%") {
			used := r.specifiers(&b, s, args[1:])
			args = args[1+used:]
			if len(args) > 0 {
				b.WriteByte(' ')
			}
		}
	}
	for i, v := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > inspectBytes {
			b.WriteString("... " + count(int64(len(args)-i), "more argument"))
			break
		}
		b.WriteString(r.show(v))
	}
	return b.String()
}

// show is the text of an argument: a string as it is, anything else inspected.
func (r *Realm) show(v goja.Value) string {
	if goja.IsString(v) {
		return head(v, inspectBytes)
	}
	return r.Inspect(v)
}

// specifiers writes s with its specifiers replaced, and returns how many arguments they took.
func (r *Realm) specifiers(b *strings.Builder, s string, args []goja.Value) (used int) {
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 || at+1 == len(s) || b.Len() > inspectBytes {
			b.WriteString(s)
			return used
		}
		b.WriteString(s[:at])
		verb := s[at+1]
		switch {
		case verb == '%':
			b.WriteByte('%')
		case used < len(args) && strings.IndexByte("sdifoOc", verb) >= 0:
			b.WriteString(r.specifier(verb, args[used]))
			used++
		default:
			b.WriteString(s[at : at+2])
		}
		s = s[at+2:]
	}
}

func (r *Realm) specifier(verb byte, v goja.Value) string {
	_, isObject := v.(*goja.Object)
	_, isSymbol := v.(*goja.Symbol)
	switch verb {
	case 'c': // CSS for browsers
		return ""
	case 's':
		if isObject {
			return r.inspect(v, 0)
		}
		return r.show(v)
	case 'o', 'O':
		return r.Inspect(v)
	}
	switch {
	case isObject || isSymbol:
		return "NaN"
	case goja.IsBigInt(v):
		return bigText(v) + "n"
	case verb == 'd':
		return (&inspector{}).primitive(v.ToNumber(), false)
	}
	parse := "parseInt"
	if verb == 'f' {
		parse = "parseFloat"
	}
	return r.parseNumber(parse, v)
}

// parseNumber is parseInt or parseFloat of the realm.
func (r *Realm) parseNumber(name string, v goja.Value) string {
	fn, ok := goja.AssertFunction(r.VM.Get(name))
	if !ok {
		return "NaN"
	}
	text := "NaN"
	r.Try(func() { text = cut(r.Call(fn, nil, v).String(), 100) })
	return text
}
