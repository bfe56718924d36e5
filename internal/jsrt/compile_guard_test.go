package jsrt

import (
	"testing"

	"github.com/dop251/goja"
)

// TestCompileGuarded proves that guarded operators mean what they meant and ask
// the guard where operands may be BigInts.
func TestCompileGuarded(t *testing.T) {
	for _, c := range []struct {
		code, want string
		calls      int
	}{
		{"exports.v = 2 ** 10", "1024", 0},
		{"let a = 2, b = 3; exports.v = a ** b", "8", 1},
		{"exports.v = String(2n ** 10n)", "1024", 1},
		{"exports.v = String(1n << 2n ** 3n)", "256", 2},
		{"exports.v = 1 << 4", "16", 0},
		{"let a = 1, b = 4; exports.v = a << b", "16", 1},
		{"let a = 3; a **= 2; exports.v = a", "9", 0},
		{"let a = 3, b = 2; a **= b; exports.v = a", "9", 1},
		{"let a = {b: 1}, c = 3; a.b <<= c; exports.v = a.b", "8", 1},
		{"const f = (x, y) => x ** y ** 2; exports.v = f(2, 3)", "512", 1},
		{"class A { x = 1 << this.y(); y() { return 3 } } exports.v = new A().x", "8", 0},
		{"class A { static p = 2; static { A.q = A.p ** A.p } } exports.v = A.q", "4", 1},
		{"let s = ''; for (let i = 0; i < 3; i++) s += i ** i; exports.v = s", "114", 3},
		{"exports.v = `${[1, 2].map(x => x << x)}`", "2,8", 2},
		{"const {a = 2n ** 3n} = {}; exports.v = String(a)", "8", 1},
	} {
		p, err := CompileGuarded("x.js", []byte(c.code))
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		rt := New()
		v, err := rt.VM.RunProgram(p.Program)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		guard := rt.VM.NewObject()
		plain, err := rt.VM.RunString("((a, b) => a ** b)")
		if err != nil {
			t.Fatal(err)
		}
		pow, _ := goja.AssertFunction(plain)
		rt.Method(guard, "pow", 2, func(f goja.FunctionCall) goja.Value {
			calls++
			return rt.Call(pow, goja.Undefined(), f.Arguments...)
		})
		rt.Method(guard, "shift", 1, func(f goja.FunctionCall) goja.Value {
			calls++
			return f.Argument(0)
		})
		exports := rt.VM.NewObject()
		fn, _ := goja.AssertFunction(v)
		if _, err := rt.Enter(fn, goja.Undefined(), rt.VM.NewObject(), exports, NewAppender(rt.VM).Value(), guard); err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		if got := exports.Get("v").String(); got != c.want || calls != c.calls {
			t.Errorf("%s: %s with %d calls of the guard, want %s with %d", c.code, got, calls, c.want, c.calls)
		}
	}
}
