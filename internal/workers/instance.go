package workers

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/webapi"
)

// An instance is an isolate: a realm in which an app's script has run. Requests
// interleave in it at awaits; its globals survive between them.
type instance struct {
	r        *runner
	app      *loaded
	program  *jsrt.Program
	realm    *webapi.Realm
	appender *jsrt.Appender
	guard    goja.Value // of a guarded program
	env      *goja.Object
	def      goja.Value
	fetch    goja.Callable    // of an object
	ctor     goja.Constructor // of a class, WorkerEntrypoint's shape
	broken   *failure         // the script threw while it loaded
	loading  *loading         // the script has run up to an await; nil if it is done
	loaded   bool
	dead     bool   // must not run again
	met      string // the limit that it died of, or ""

	calls   []*call     // live ones
	asked   []*op       // binding calls made in this turn
	waiting int         // answers and body pieces that are on their way
	timers  int         // set and not yet due
	ctx     *jsrt.Class // ExecutionContext
	wasm    wasmState
}

func newInstance(r *runner, a *loaded) *instance {
	in := &instance{r: r, app: a, program: a.program}
	rt := jsrt.New()
	rt.Rejected, rt.KeepStack = in.rejected, r.memory == 0
	rt.ForbidCode()
	if a.guard != nil {
		in.guard = a.guard.install(rt)
	}
	in.appender = jsrt.NewAppender(rt.VM)
	if a.guard != nil {
		in.appender.Bound(a.guard.units())
	}
	in.realm = webapi.Install(rt, surroundings{in})
	in.realm.Network = in.network
	if a.prompt {
		in.installPrompt()
	}
	return in
}

// noHandler is what requests get where nothing answers them.
var noHandler = failure{code: "no_handler", message: "functions.js has no default export with a fetch handler: export default { async fetch(request, env, ctx) { … } }"}

// findHandler looks for what answers: an object with a fetch or scheduled
// method, or a class with one.
func (in *instance) findHandler(exports goja.Value) *failure {
	o, ok := exports.(*goja.Object)
	if !ok {
		return &noHandler
	}
	in.def = o.Get("default")
	def, ok := in.def.(*goja.Object)
	if !ok {
		return &noHandler
	}
	if in.fetch, ok = goja.AssertFunction(def.Get("fetch")); ok {
		return nil
	}
	if proto, isClass := def.Get("prototype").(*goja.Object); isClass && handles(proto) {
		if in.ctor, ok = goja.AssertConstructor(def); ok {
			return nil
		}
	}
	if handles(def) {
		return nil
	}
	return &noHandler
}

func handles(o *goja.Object) bool {
	_, fetch := goja.AssertFunction(o.Get("fetch"))
	_, scheduled := goja.AssertFunction(o.Get("scheduled"))
	return fetch || scheduled
}

// enter runs fn in a turn on behalf of a call, which may be nil, and then sees
// to what the turn brought about.
func (in *instance) enter(c *call, fn func()) {
	start := time.Now()
	in.realm.Tracked = nil
	if c != nil {
		in.realm.Tracked = c
	}
	in.r.running(in)
	err := in.realm.Turn(fn)
	in.r.running(nil)
	in.realm.Tracked = nil
	if c != nil {
		c.cpu += time.Since(start)
	}
	in.after(c, err)
}

// after looks at all calls: any of them may have settled in a turn.
func (in *instance) after(c *call, err error) {
	in.flush()
	in.appender.Reset()
	if err != nil {
		f := in.failureOf(err)
		if c != nil && !c.answered {
			c.fail(f)
		} else {
			in.log(slog.LevelError, f.message, f.stack, c)
		}
	}
	in.settleLoading()
	var few [8]*call // calls end in the loop
	alone := len(in.calls) == 1
	for _, other := range append(few[:0], in.calls...) {
		if !in.dead {
			other.check()
			continue
		}
		f := failure{code: "unavailable", message: "the isolate ended because of another request"}
		if in.met != "" && (other == c || alone) { // nobody else is to blame
			f = failure{code: in.met, message: limitMessage(in.met)}
		}
		other.fail(f)
		other.end()
	}
	if len(in.calls) > 0 && in.idle() {
		if in.loading != nil && !in.dead {
			in.abandonLoading()
			return
		}
		for _, c := range append([]*call(nil), in.calls...) {
			c.hung()
		}
	}
}

// idle reports whether nothing is on its way that could move a call on.
func (in *instance) idle() bool {
	if in.waiting > 0 || in.timers > 0 {
		return false
	}
	for _, c := range in.calls {
		if c.streaming && !c.pulling { // its reader has to take some first
			return false
		}
		if c.open() {
			return false
		}
	}
	return true
}

// flush sends the binding calls of this turn, those of one request in one frame.
func (in *instance) flush() {
	for len(in.asked) > 0 {
		c := in.asked[0].call
		var mine, others []*op
		for _, o := range in.asked {
			if o.call == c {
				mine = append(mine, o)
			} else {
				others = append(others, o)
			}
		}
		in.asked = others
		in.r.send(func(b []byte) []byte {
			b, at := isolate.Begin(b, frameOps, c.id)
			b = isolate.AppendUint32(b, uint32(len(mine)))
			for _, o := range mine {
				b = isolate.AppendUint32(b, o.id)
				b = isolate.AppendUint32(b, o.binding)
				b = isolate.AppendBytes(b, o.payload)
				o.payload = nil
			}
			return isolate.End(b, at)
		})
	}
}

// rejected notes promises rejected without a handler, for the console.
func (in *instance) rejected(p *goja.Promise, handled bool) {
	if handled { // perhaps by another request
		for _, c := range in.calls {
			delete(c.unhandled, p)
		}
		return
	}
	c, _ := in.realm.Tracked.(*call)
	if c == nil {
		return
	}
	if c.unhandled == nil {
		c.unhandled = map[*goja.Promise]bool{}
	}
	if len(c.unhandled) < 16 {
		c.unhandled[p] = true
	}
}

// printedWithin is how long what code prints may wait for the end of its turn: the turn may end with the worker.
const printedWithin = 20 * time.Millisecond

// log sends a console entry, at the position of the innermost frame in the stack.
func (in *instance) log(level slog.Level, text, stack string, c *call) {
	id := uint32(0)
	if c != nil {
		id = c.id
		c.console += int64(len(text) + len(stack) + 32)
		if c.console > in.app.limits.console {
			c.exceed("limit_console")
			return
		}
	}
	in.r.send(func(b []byte) []byte {
		b, at := isolate.Begin(b, frameConsole, id)
		b = isolate.AppendVarint(b, int64(level))
		b = isolate.AppendString(b, text)
		b = isolate.AppendString(b, stack)
		return isolate.End(b, at)
	})
	if in.r.flush != nil {
		in.r.flush(printedWithin)
	}
}

// surroundings is what the realm has around it.
type surroundings struct{ in *instance }

func (h surroundings) Now() time.Time { return h.in.r.now() }

// maxUnheard is how much code may print beyond its limit before its turn is ended: code that only prints too
// much costs no other request of its isolate anything, a loop that does nothing else would go on to the limit of CPU time.
const maxUnheard = 1000

func (h surroundings) Log(level slog.Level, text string, frames []goja.StackFrame) {
	c, _ := h.in.realm.Tracked.(*call)
	if c != nil && c.exceeded != "" {
		if c.unheard++; c.unheard == maxUnheard {
			h.in.realm.VM.Interrupt(c.exceeded)
		}
		return
	}
	var stack string
	for i := range frames {
		f := &frames[i]
		if f.SrcName() != chunkName {
			continue
		}
		pos := f.Position()
		line, col := h.in.program.Unpatch(pos.Line, pos.Column)
		stack += "    at " + f.FuncName() + " (" + chunkName + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(col) + ")\n"
		if level < slog.LevelError || len(stack) > 2<<10 {
			break
		}
	}
	h.in.log(level, text, stack, c)
}

func (h surroundings) After(d time.Duration, fn func()) (stop func()) {
	c, _ := h.in.realm.Tracked.(*call)
	if c == nil && h.in.timers > 1000 || c != nil && len(c.timers) > 10_000 {
		h.in.realm.RangeError("too many timers")
	}
	t := &timer{at: h.in.r.now().Add(d), call: c, in: h.in, fn: fn}
	h.in.r.timers.add(t)
	h.in.timers++
	if c != nil {
		if c.timers == nil {
			c.timers = map[*timer]bool{}
		}
		c.timers[t] = true
		t.fn = func() { delete(c.timers, t); fn() }
	}
	return func() { h.in.stopTimer(t) }
}

func (in *instance) stopTimer(t *timer) {
	if t.index >= 0 {
		in.r.timers.remove(t)
		in.timers--
	}
	if t.call != nil {
		delete(t.call.timers, t)
	}
}

func (h surroundings) Uncaught(v goja.Value) {
	f := h.in.describe(v)
	c, _ := h.in.realm.Tracked.(*call)
	h.in.log(slog.LevelError, "Uncaught "+f.message, f.stack, c)
}
