package wasm

import (
	"errors"
	"math"
	"runtime"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// A Func is a function of an instance. The same function is the same Func, wherever it is met.
type Func struct {
	Type  FuncType
	Index uint32 // in the module that defines or first exports it
	Value any    // for whoever uses the package: what stands for the function elsewhere

	store *Store
	inst  *Instance
	mod   api.Module // that exports it under name; nil if it was found in a table
	name  string
	idle  api.Function // a call at hand; one that runs cannot be entered again
	spare []api.Function
	ref   uint64
	key   refKey
	host  HostFunc  // is called directly: an instance only passes it on
	tramp *typeInfo // calls ref
	table *Table    // keeps what ref names
}

// A Trap is code that went wrong.
type Trap struct {
	Text     string // as V8 words it
	Overflow bool   // of the stack
}

func (t *Trap) Error() string { return "wasm: " + t.Text }

// An Unwound is what a host function panicked with.
type Unwound struct{ Value any }

func (u *Unwound) Error() string { return "wasm: a host function panicked" }

// Call calls the function: parameters are in stack, which has Type.Slots() words, and
// results come back in it. The error is a [*Trap], [*Unwound] or [ErrInterrupted].
func (f *Func) Call(stack []uint64) error {
	if f.host != nil {
		return f.callHost(stack)
	}
	fn := f.idle
	f.idle = nil
	if fn == nil {
		fn = f.enter()
	}
	s := f.store
	s.depth++
	var err error
	if f.tramp != nil {
		err = f.callRef(fn, stack)
	} else {
		err = fn.CallWithStack(s.ctx, stack)
	}
	s.depth--
	runtime.KeepAlive(f)
	if err != nil { // its stack may be large
		return s.outcome(err)
	}
	if f.idle == nil {
		f.idle = fn
	} else if len(f.spare) < 4 {
		f.spare = append(f.spare, fn)
	}
	return nil
}

func (f *Func) callHost(stack []uint64) (err error) {
	f.store.depth++
	defer func() {
		f.store.depth--
		if e, ok := recover().(error); ok { // call panics with nothing else
			err = f.store.outcome(e)
		}
	}()
	call(f.host, stack)
	return nil
}

func (f *Func) enter() api.Function {
	if n := len(f.spare); n > 0 {
		fn := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return fn
	}
	if f.tramp != nil {
		return f.tramp.mod.ExportedFunction("call")
	}
	return f.store.see(f.mod.ExportedFunction(f.name))
}

// callRef calls through the trampoline of the type, which takes the reference first.
func (f *Func) callRef(fn api.Function, stack []uint64) error {
	n := slots(f.Type.Params)
	full := f.store.Stack(max(n+1, len(stack)))
	defer f.store.Release(full)
	full[0] = f.ref
	copy(full[1:], stack[:n])
	err := fn.CallWithStack(f.store.ctx, full)
	copy(stack, full)
	at := 0
	for _, t := range f.Type.Results {
		if t == I32 || t == F32 { // above is what was there before
			stack[at] &= math.MaxUint32
		}
		at += t.slots()
	}
	return err
}

// Stack returns a stack of n zeros for a call. Stacks are released in the reverse order.
func (s *Store) Stack(n int) []uint64 {
	at := len(s.args)
	if at+n > cap(s.args) {
		return make([]uint64, n) // the calls below hold parts of the old array
	}
	s.args = s.args[:at+n]
	clear(s.args[at:])
	return s.args[at : at+n : at+n]
}

// Release gives back the stack that Stack returned last.
func (s *Store) Release(stack []uint64) {
	if n := len(s.args); n > 0 && len(stack) > 0 && n >= len(stack) && &s.args[n-len(stack)] == &stack[0] {
		s.args = s.args[:n-len(stack)]
	}
	if cap(s.args) == 0 {
		s.args = make([]uint64, 0, 256)
	}
}

// outcome turns what wazero reports into what happened.
func (s *Store) outcome(err error) error {
	var u *Unwound
	var t *Trap
	var exit *sys.ExitError
	switch {
	case errors.As(err, &u):
		return u
	case errors.As(err, &t):
		return t
	case errors.As(err, &exit), errors.Is(err, ErrInterrupted):
		return ErrInterrupted
	}
	text := err.Error()
	for e := err; e != nil; e = errors.Unwrap(e) {
		text = e.Error() // the innermost has no trace
	}
	if text == "stack overflow" {
		return &Trap{"Maximum call stack size exceeded", true}
	}
	if known, ok := traps[text]; ok {
		text = known
	}
	return &Trap{Text: text}
}

// traps are the words of V8 for wazero's.
var traps = map[string]string{
	"integer divide by zero":        "divide by zero",
	"invalid conversion to integer": "float unrepresentable in integer range",
	"out of bounds memory access":   "memory access out of bounds",
	"invalid table access":          "table index is out of bounds",
	"indirect call type mismatch":   "null function or function signature mismatch",
}
