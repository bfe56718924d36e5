package jsrt

import (
	"testing"

	"github.com/dop251/goja"
)

// TestStackReads proves that reads of stacks go through the runtime, and nothing else does.
func TestStackReads(t *testing.T) {
	for _, c := range []struct {
		code, want string
		calls      int
	}{
		{"exports.v = e.stack", "<S>", 1},
		{"exports.v = e['stack'] + e.stack", "<S><S>", 2},
		{"exports.v = e.stack.split('').length + e.stack.split('')[0]", "3<", 2},
		{"exports.v = e.stack.length", "1", 0},
		{"exports.v = `${e.stack}!`", "<S>!", 1},
		{"exports.v = e?.stack", "<S>", 1},
		{"exports.v = e?.stack?.replace('S', 'T')", "<T>", 1},
		{"exports.v = e.stack?.replace('S', 'T')", "<T>", 1},
		{"let n = null; exports.v = String(n?.stack) + n?.stack?.split('x') + n?.stack.split('x')", "undefinedundefinedundefined", 2},
		{"let n = null; try { n.stack; exports.v = 1 } catch (e) { exports.v = e.name }", "TypeError", 1},
		{"let n = null; try { exports.v = (n?.stack).x } catch (e) { exports.v = e.name }", "TypeError", 0},
		{"e.stack = 'x'; exports.v = e.stack", "<x>", 1},
		{"e.stack += 'x'; exports.v = e['st' + 'ack']", "Sx", 0},
		{"e.stack ||= 'x'; delete e.stack; exports.v = 'stack' in e", "false", 0},
		{"let o = {stack: [1]}; o.stack.push(2); o.stack[0] = 5; exports.v = o.stack.length + o.stack.map(x => x).join() + o.stack[1]", "25,22", 0},
		{"let o = {stack: () => 7}; exports.v = o.stack() + o['stack']()", "14", 0},
		{"let o = {stack: 1}; o.stack++; ++o.stack; o.stack -= 1; exports.v = o.stack === 2", "true", 1},
		{"let {stack} = e; exports.v = stack", "<S>", 1},
		{"const {message, stack: s = 1, ...rest} = e; exports.v = message + s", "M<S>", 1},
		{"let stack; ({stack} = e); exports.v = stack", "<S>", 1},
		{"[e.stack, e.more = 1] = ['a', 'b']; ({x: e.stack = 3} = {}); exports.v = e['stack'].toString() + e.more", "3b", 1},
		{"for (e.stack of ['q']); for (e.stack in {r: 1}); exports.v = e.more; exports.v = e.stack", "<r>", 1},
		{"class A { stack = 1; get() { return this.stack } static #p = e.stack; static q() { return A.#p } } exports.v = new A().get() + A.q()", "1<S>", 2},
		{"class B { get stack() { return 'b' } } class A extends B { get stack() { return super.stack + 'a' } } exports.v = new A().stack", "ba", 1},
		{"const f = async () => (e.stack, 1); exports.v = (function* () { yield e.stack })().next().value", "<S>", 1},
		{"let stack = 4; exports.v = stack + {stack}.stack", "8", 1},
		{"let s = ''; for (let i = 0; i < 2; i++) s += e.stack; exports.v = s", "<S><S>", 2},
		{"var a = 2, b = 3; exports.v = a ** b + e.stack", "8<S>", 1},
		{"exports.v = 'stack'.length", "5", 0},
	} {
		for _, guarded := range []bool{false, true} {
			compile := Compile
			if guarded {
				compile = CompileGuarded
			}
			p, err := compile("x.js", []byte("const e = {stack: 'S', message: 'M', valueOf() { return 'e' }};"+c.code))
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
			read := rt.VM.ToValue(func(f goja.FunctionCall) goja.Value {
				calls++
				if goja.IsNull(f.Argument(1)) {
					o := f.Argument(0).(*goja.Object)
					o.Set("stack", "<"+o.Get("stack").String()+">")
					return o
				}
				if !Defined(f.Argument(0)) && f.Argument(1).ToBoolean() {
					return goja.Undefined()
				}
				if s := f.Argument(0).ToObject(rt.VM).Get("stack"); goja.IsString(s) && s.String() != "ba" {
					return rt.VM.ToValue("<" + s.String() + ">")
				} else {
					return s
				}
			})
			guard := run(t, rt, "({ pow: (a, b) => a ** b, shift: a => a })")
			exports := rt.VM.NewObject()
			fn, _ := goja.AssertFunction(v)
			if _, err := rt.Enter(fn, goja.Undefined(), rt.VM.NewObject(), exports, NewAppender(rt.VM).Value(), guard, read); err != nil {
				t.Errorf("%s: %v", c.code, err)
				continue
			}
			if got := exports.Get("v").String(); got != c.want || calls != c.calls {
				t.Errorf("%s: %s with %d calls, want %s with %d", c.code, got, calls, c.want, c.calls)
			}
			if p.ReadsStack != (c.calls > 0) && calls > 0 {
				t.Errorf("%s: ReadsStack is %v", c.code, p.ReadsStack)
			}
		}
	}
}
