package jsrt

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// An Appender makes s += x take time in proportion to x. In goja strings are
// flat: a loop that builds a page of n bytes by appending copies n² bytes.
//
// [Compile] turns such statements into calls of the appender. It keeps the
// strings that grew lately with spare room behind them, and continues in place
// one that is appended to once more. Strings stay immutable: an older value
// sees only its own length of the shared memory, and what is appended to it a second
// time goes into a copy.
//
// An Appender belongs to one runtime and its goroutine.
type Appender struct {
	vm      *goja.Runtime
	value   goja.Value
	plus    goja.Callable // (a, b) => a + b
	tooLong goja.Callable // throws a RangeError
	open    []growing     // most recently used first
	held    int           // sum of open[i].bytes
	longest int           // maxStringLength
}

// growing is a string that can be continued.
type growing struct {
	last  goja.String // what the last append returned: all that the builder holds
	build *goja.StringBuilder
	bytes int // memory held, roughly
}

const (
	minShared       = 256        // a shorter result is not worth a builder
	maxGrowing      = 8          // strings built at the same time, by nested templates for example
	maxHeld         = 16 << 20   // bytes held for strings other than the latest
	maxStringLength = 1<<29 - 24 // UTF-16 units, as in V8
)

// operators are what an appender leaves to JavaScript.
var operators = goja.MustCompile("samkit:operators",
	`((RangeError) => [(a, b) => a + b, () => { throw new RangeError("Invalid string length") }])(RangeError)`, true)

// Bound lowers how many UTF-16 units a string may have.
func (a *Appender) Bound(units int64) { a.longest = int(min(units, maxStringLength)) }

// NewAppender returns an appender for vm. The runtime calls Reset when a turn has ended.
func NewAppender(vm *goja.Runtime) *Appender {
	a := &Appender{vm: vm, longest: maxStringLength}
	a.value = vm.ToValue(a.call)
	a.value.(*goja.Object).DefineDataProperty("name", vm.ToValue("append"), goja.FLAG_TRUE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return a
}

// AppendFunc returns the value of a new appender for vm.
func AppendFunc(vm *goja.Runtime) goja.Value { return NewAppender(vm).Value() }

// Value is the function that a [Program]'s third parameter takes: (a, b) => a + b.
func (a *Appender) Value() goja.Value { return a.value }

// Reset forgets the strings that were built. Values that JavaScript still has
// stay valid.
func (a *Appender) Reset() {
	clear(a.open)
	a.open, a.held = a.open[:0], 0
}

func (a *Appender) call(call goja.FunctionCall) goja.Value {
	left, right := call.Argument(0), call.Argument(1)
	if s, ok := left.(goja.String); ok {
		t, ok := right.(goja.String)
		if !ok {
			t = a.toString(right)
		}
		return a.join(s, t)
	}
	if isNumber(left) && isNumber(right) {
		if left.ExportType().Kind() == reflect.Int64 && right.ExportType().Kind() == reflect.Int64 {
			return a.vm.ToValue(left.ToInteger() + right.ToInteger())
		}
		return a.vm.ToValue(left.ToFloat() + right.ToFloat())
	}
	return a.add(left, right)
}

func isNumber(v goja.Value) bool {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return false
	}
	if _, ok := v.(*goja.Object); ok {
		return false
	}
	t := v.ExportType()
	return t != nil && (t.Kind() == reflect.Int64 || t.Kind() == reflect.Float64)
}

// add is the operator itself.
func (a *Appender) add(left, right goja.Value) goja.Value {
	a.operators()
	v, err := a.plus(nil, left, right)
	if err != nil {
		panic(err) // an exception of valueOf, a symbol, an interrupt: it goes on as what it was
	}
	return v
}

// operators compiles what is seldom needed.
func (a *Appender) operators() {
	if a.plus != nil {
		return
	}
	v, err := a.vm.RunProgram(operators)
	if err != nil {
		panic(err)
	}
	list := v.(*goja.Object)
	a.plus, _ = goja.AssertFunction(list.Get("0"))
	a.tooLong, _ = goja.AssertFunction(list.Get("1"))
}

// toString is what s + v appends to a string s.
func (a *Appender) toString(v goja.Value) goja.String {
	switch v.(type) {
	case *goja.Object, *goja.Symbol:
		s, _ := a.add(a.vm.ToValue(""), v).(goja.String)
		return s
	}
	return a.vm.ToValue(v.String()).(goja.String)
}

// join appends t to s.
func (a *Appender) join(s, t goja.String) goja.Value {
	added := t.Length()
	if added == 0 {
		return s
	}
	n := s.Length() + added
	if n > a.longest {
		a.operators()
		_, err := a.tooLong(nil)
		panic(err)
	}
	for i := range a.open {
		if same(a.open[i].last, s) {
			return a.grow(i, t, added)
		}
	}
	if n < minShared {
		return s.Concat(t)
	}
	g := growing{build: new(goja.StringBuilder), bytes: 2 * n}
	g.build.Grow(n + n/4)
	g.build.WriteString(s)
	if len(a.open) == maxGrowing {
		a.evict()
	}
	a.open = append(a.open, g)
	a.held += g.bytes
	return a.grow(len(a.open)-1, t, 0)
}

// grow appends t to open[i], which becomes the latest.
func (a *Appender) grow(i int, t goja.String, added int) goja.Value {
	g := a.open[i]
	g.build.WriteString(t)
	g.last = g.build.String()
	g.bytes += 2 * added
	a.held += 2 * added
	copy(a.open[1:i+1], a.open[:i])
	a.open[0] = g
	for a.held > maxHeld && len(a.open) > 1 {
		a.evict()
	}
	return g.last
}

// evict forgets the string that was not appended to for longest.
func (a *Appender) evict() {
	end := len(a.open) - 1
	a.held -= a.open[end].bytes
	a.open[end] = growing{}
	a.open = a.open[:end]
}

// same reports whether a and b are one value in memory. Comparing what they
// hold would take time in proportion to their length. Both interfaces have a
// method table and a pointer; a pointer that an [Appender] keeps cannot be reused for another value.
func same(a, b goja.String) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}
