package jsrt

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

// MaxDepth is the most JavaScript frames on the stack. goja cannot catch an
// overflow in JavaScript, and unwinding through native frames is quadratic, so
// the limit is low; React renders trees of some hundred levels within it.
const MaxDepth = 1500

// A Runtime is a JavaScript realm. It belongs to one goroutine at a time.
type Runtime struct {
	VM     *goja.Runtime
	Global *goja.Object

	// Tracked is carried along asynchronous continuations: a promise reaction
	// runs with the value that was current when it was registered.
	Tracked any

	// Context is carried along likewise, for code's own use: the stores of
	// AsyncLocalStorage. It is nil at the beginning of a turn.
	Context any

	// Rejected is called when a promise is rejected without a handler and when it gets one after all.
	Rejected func(p *goja.Promise, handled bool)

	// MaxText is how many bytes a string that native code builds may have; zero is what V8 allows.
	MaxText int64

	// MaxMatch is how long native code may match a regular expression; zero is for ever.
	MaxMatch time.Duration

	// KeepStack keeps the interpreter's stack, of 2 KB, from one turn to the next.
	KeepStack bool

	halted atomic.Bool // Interrupt was called

	promise        goja.Value
	promiseResolve goja.Callable
	promiseThen    goja.Callable
	enter          goja.Callable // (n) => n()
	bind           goja.Callable // (n) => (v) => n(v)
	body           func()        // what enter runs
	native         goja.Value    // calls body
	iteratorProto  *goja.Object
	objectProto    *goja.Object                                 // Object.prototype
	functionProto  *goja.Object                                 // Function.prototype
	global         func(name string, own goja.Value) goja.Value // of SetGlobals
	atOnce         bool                                         // members of classes are not made late
	classes        map[string]*Class
	forbidden      [forbiddenCount]*goja.Object // once made
	uint8Array     goja.Constructor
	json           jsonState
	stack          []goja.Value // of KeepStack
}

// trampolines are JavaScript frames around native code. goja drains its job queue
// whenever a call from Go returns with no frame on the stack; below one of
// these frames it does not, so jobs keep their order.
var (
	enterProgram = goja.MustCompile("samkit:enter", "(n) => n()", true)
	bindProgram  = goja.MustCompile("samkit:bind", "(n) => (v) => n(v)", true)
	idleProgram  = goja.MustCompile("samkit:idle", "0", true)
)

// iteratorProto finds %IteratorPrototype%, which has no name of its own.
var iteratorProto = goja.MustCompile("samkit:iterator", "Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))", true)

// New returns a runtime without Web APIs.
func New() *Runtime {
	vm := goja.New()
	vm.SetMaxCallStackSize(MaxDepth)
	rt := &Runtime{VM: vm, Global: vm.GlobalObject(), classes: map[string]*Class{}}
	enter := rt.constant(enterProgram)
	rt.enter, _ = goja.AssertFunction(enter)
	rt.functionProto = enter.Prototype()
	rt.objectProto = rt.functionProto.Prototype()
	rt.native = vm.ToValue(func(goja.FunctionCall) goja.Value {
		body := rt.body
		rt.body = nil
		body()
		return goja.Undefined()
	})
	vm.SetAsyncContextTracker(tracker{rt})
	if l := knownLayout(); l != nil {
		amend(l.templateOf(rt.Global), &baseGlobals)
	} else {
		rt.notePromise(vm.Get("Promise"))
	}
	vm.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
		if rt.Rejected != nil {
			rt.Rejected(p, op == goja.PromiseRejectionHandle)
		}
	})
	return rt
}

// constant returns the object that a constant program makes.
func (rt *Runtime) constant(p *goja.Program) *goja.Object {
	v, err := rt.VM.RunProgram(p)
	if err != nil {
		panic(err) // an interrupt
	}
	return v.(*goja.Object)
}

// Interrupt ends what runs as soon as JavaScript, or native code that calls [Runtime.Yield], gets to
// know. It may be called from any goroutine.
func (rt *Runtime) Interrupt(cause any) {
	rt.VM.Interrupt(cause)
	rt.halted.Store(true)
}

// Yield lets an interrupt take effect. Native loops that JavaScript can make long call it at every step, since
// the interpreter looks for interrupts only at its own instructions.
func (rt *Runtime) Yield() {
	if rt.halted.Load() {
		if _, err := rt.VM.RunProgram(idleProgram); err != nil {
			panic(err)
		}
	}
}

// textLimit is how many bytes or units a string may have.
func (rt *Runtime) textLimit(most int) int {
	if rt.MaxText > 0 {
		return int(min(rt.MaxText, int64(most)))
	}
	return most
}

// CheckText throws what engines throw for a string that is too long, if one of n units would be.
func (rt *Runtime) CheckText(n int) {
	if n > rt.textLimit(maxStringLength) {
		rt.RangeError("Invalid string length")
	}
}

// tracker lets a continuation find the request it belongs to. goja announces
// reactions but neither the job that calls the method then of a thenable nor the rejection of what a
// reaction returned. Both follow the reaction that caused them, so its values stay until the next one.
type tracker struct{ rt *Runtime }

// carried is what a continuation has if it has more than Tracked.
type carried struct{ tracked, context any }

func (t tracker) Grab() any {
	if t.rt.Context == nil {
		return t.rt.Tracked
	}
	return &carried{t.rt.Tracked, t.rt.Context}
}

func (t tracker) Resumed(v any) {
	if c, ok := v.(*carried); ok {
		t.rt.Tracked, t.rt.Context = c.tracked, c.context
		return
	}
	t.rt.Tracked, t.rt.Context = v, nil
}

func (t tracker) Exited() {}

// A Fault is a failure that JavaScript could not catch: a native panic, a stack
// overflow, an interrupt. The runtime must not be used afterwards.
type Fault struct {
	Reason string // "panic", "stack", "interrupt"
	Text   string
	Cause  any // the value given to Interrupt, or what a native function panicked with
}

func (f *Fault) Error() string { return "jsrt: " + f.Reason + ": " + f.Text }

// Turn runs body inside the runtime and then drains the job queue. An exception
// that body lets pass is returned as *goja.Exception, anything worse as *[Fault].
func (rt *Runtime) Turn(body func()) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &Fault{Reason: "panic", Text: fmt.Sprint(x), Cause: x}
		}
	}()
	rt.lendStack()
	defer rt.takeStack()
	rt.body, rt.Context = body, nil
	_, err = rt.enter(nil, rt.native)
	return fault(err)
}

// Catch runs native code that may throw but runs no JavaScript, and spares the
// frame of a turn. It may be used outside of one.
func (rt *Runtime) Catch(body func()) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &Fault{Reason: "panic", Text: fmt.Sprint(x), Cause: x}
		}
	}()
	if ex := rt.VM.Try(body); ex != nil {
		return ex
	}
	return nil
}

// Enter calls fn and then drains the job queue. It saves a frame where Turn
// would run one call only.
func (rt *Runtime) Enter(fn goja.Callable, this goja.Value, args ...goja.Value) (v goja.Value, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &Fault{Reason: "panic", Text: fmt.Sprint(x), Cause: x}
		}
	}()
	rt.lendStack()
	defer rt.takeStack()
	rt.Context = nil
	v, err = fn(this, args...)
	return v, fault(err)
}

func fault(err error) error {
	if err == nil {
		return nil
	}
	var overflow *goja.StackOverflowError
	if errors.As(err, &overflow) {
		return &Fault{Reason: "stack", Text: "Maximum call stack size exceeded", Cause: err}
	}
	var stopped *goja.InterruptedError
	if errors.As(err, &stopped) {
		return &Fault{Reason: "interrupt", Text: fmt.Sprint(stopped.Value()), Cause: stopped.Value()}
	}
	return err
}

// Func returns a native function with a name and a length.
func (rt *Runtime) Func(name string, length int, fn func(goja.FunctionCall) goja.Value) *goja.Object {
	if l := knownLayout(); l != nil {
		return l.newFunc(rt.VM, rt.functionProto, signature{name, length}.template(), fn, nil)
	}
	o := rt.VM.ToValue(fn).(*goja.Object)
	o.DefineDataProperty("name", rt.VM.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	if length != 0 {
		o.DefineDataProperty("length", rt.VM.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	return o
}

// Method defines a native method on an object that is no class.
func (rt *Runtime) Method(o *goja.Object, name string, length int, fn func(goja.FunctionCall) goja.Value) {
	o.DefineDataProperty(name, rt.Func(name, length, fn), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// Data defines a plain data property. Unlike Set it runs no setter that code
// may have put on a prototype.
func Data(o *goja.Object, name string, v goja.Value) {
	o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// Hide is Data for a property that is not enumerable.
func Hide(o *goja.Object, name string, v goja.Value) {
	o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// TypeError throws a TypeError.
func (rt *Runtime) TypeError(format string, args ...any) {
	panic(rt.VM.NewTypeError(append([]any{format}, args...)...))
}

// RangeError throws a RangeError.
func (rt *Runtime) RangeError(format string, args ...any) {
	panic(rt.NewError("RangeError", fmt.Sprintf(format, args...)))
}

// NewError returns an instance of a standard error class.
func (rt *Runtime) NewError(class, message string) *goja.Object {
	o, err := rt.VM.New(rt.VM.Get(class), rt.VM.ToValue(message))
	if err != nil { // the code replaced the class
		return rt.VM.NewTypeError("%s", message)
	}
	return o
}

// String returns v as a string, as ToString does; it may run code and throw.
func String(v goja.Value) string { return v.String() }

// Defined reports whether v is neither absent, undefined nor null.
func Defined(v goja.Value) bool {
	return v != nil && !goja.IsUndefined(v) && !goja.IsNull(v)
}

// Option returns a member of a dictionary, or nil if the dictionary or the
// member is missing or undefined.
func Option(dict goja.Value, name string) goja.Value {
	o, ok := dict.(*goja.Object)
	if !ok {
		return nil
	}
	if v := o.Get(name); v != nil && !goja.IsUndefined(v) {
		return v
	}
	return nil
}
