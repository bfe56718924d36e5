package workers

import (
	"errors"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// A loading is a script that awaits outside of functions and is not done with it. Calls wait
// for it; what the script waits for is timers, since bindings answer only in requests.
type loading struct {
	promise *goja.Promise
	module  *goja.Object
	held    []*call
}

// load runs the script, once.
func (in *instance) load() *failure {
	if in.loaded {
		return in.broken
	}
	in.loaded = true
	if f := in.run(); f != nil {
		in.fail(*f)
	}
	return in.broken
}

// fail notes that the script did not load.
func (in *instance) fail(f failure) {
	in.broken = &f
	in.dead = true
}

func (in *instance) run() (broken *failure) {
	rt := in.realm
	fail := func(err error) *failure { f := in.failureOf(err); return &f }
	module, exports := rt.VM.NewObject(), rt.VM.NewObject()
	jsrt.Data(module, "exports", exports)
	in.buildEnv()
	result, err := in.runBody(in.program, module, exports)
	if err == nil && in.app.after != nil {
		result, err = in.runBody(in.app.after, module, exports)
	}
	if err != nil {
		return fail(err)
	}
	if p, ok := jsrt.IsPromise(result); ok {
		in.loading = &loading{promise: p, module: module}
		return in.proceed()
	}
	return in.finish(module)
}

// runBody runs the body of a CommonJS module and returns what its function did: a promise, if it awaits.
func (in *instance) runBody(p *jsrt.Program, module, exports *goja.Object) (goja.Value, error) {
	rt := in.realm
	v, err := rt.VM.RunProgram(p.Program)
	if err != nil {
		return nil, err
	}
	wrapper, ok := goja.AssertFunction(v)
	if !ok {
		return nil, errors.New("workers: the bundle is not a function")
	}
	stack := goja.Undefined()
	if p.ReadsStack {
		stack = rt.VM.ToValue(in.readStack)
	}
	return rt.Enter(wrapper, goja.Undefined(), module, exports, in.appender.Value(), in.guard, stack, rt.LateFields(p), rt.Skip(p))
}

// finish looks for the handler when the script has run.
func (in *instance) finish(module *goja.Object) (broken *failure) {
	err := in.realm.Turn(func() { broken = in.findHandler(module.Get("exports")) })
	if err != nil {
		f := in.failureOf(err)
		return &f
	}
	return broken
}

// proceed looks whether the script has loaded by now.
func (in *instance) proceed() *failure {
	l := in.loading
	switch l.promise.State() {
	case goja.PromiseStateFulfilled:
		in.loading = nil
		return in.finish(l.module)
	case goja.PromiseStateRejected:
		in.loading = nil
		f := in.describe(l.promise.Result())
		return &f
	}
	return nil
}

// settleLoading lets the calls go on that wait for the script, if it has loaded, or failed to.
func (in *instance) settleLoading() {
	l := in.loading
	if l == nil || in.dead {
		return
	}
	if f := in.proceed(); f != nil {
		in.fail(*f)
	}
	if in.loading == nil {
		in.release(l.held)
	}
}

// abandonLoading ends the wait for a script that nothing can move on.
func (in *instance) abandonLoading() {
	l := in.loading
	in.loading = nil
	in.fail(failure{code: "exception", message: "the script awaits something that cannot happen, outside of functions"})
	in.release(l.held)
}

func (in *instance) release(held []*call) {
	for _, c := range held {
		switch {
		case c.ended || c.canceled:
		case in.broken != nil:
			c.fail(*in.broken)
			c.end()
		default:
			c.begin()
		}
	}
}

// start runs the handler until it returns or waits.
func (c *call) start() {
	in := c.in
	if !in.loaded {
		start := time.Now()
		in.r.running(in)
		in.load()
		in.r.running(nil)
		c.cpu += time.Since(start)
	}
	switch {
	case in.broken != nil:
		c.fail(*in.broken)
		c.end()
	case in.loading != nil:
		in.loading.held = append(in.loading.held, c)
		in.after(c, nil)
	default:
		c.begin()
	}
}
