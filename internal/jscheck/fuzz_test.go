package jscheck

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// FuzzCheck proves that no source makes the check panic, run on, or point outside of the source.
func FuzzCheck(f *testing.F) {
	for _, c := range gate {
		f.Add(c.code, true)
		f.Add(c.code, false)
	}
	for _, form := range members[:40] {
		f.Add(form, false)
	}
	f.Add(sample, false)
	f.Add(strings.Repeat("[", 600), false)
	f.Add(strings.Repeat("(a=>", 30)+"1"+strings.Repeat(")", 30), true)
	f.Add("const a=b+b,b=c+c,c=d+d,d=[a,b,c,d];x[a+b]", true)
	f.Add("\xff", true)
	f.Fuzz(func(t *testing.T, src string, js bool) {
		if len(src) > 20_000 {
			return
		}
		start := time.Now()
		p, problems := Check([]byte(src), &Options{JavaScript: js})
		if took := time.Since(start); took > time.Minute {
			t.Errorf("took %v", took)
		}
		if (p == nil) != (len(problems) > 0) || len(problems) > maxProblems {
			t.Fatalf("%v and %d problems", p, len(problems))
		}
		lines := 1 + strings.Count(src, "\n") + strings.Count(src, "\r") + strings.Count(src, "\u2028") + strings.Count(src, "\u2029")
		for _, x := range problems {
			if x.Line < 1 || x.Line > lines || x.Column < 1 || x.Column > len(src)+2 || x.Category == "" || x.Name+x.Text == "" {
				t.Errorf("%+v in %q", x, src)
			}
		}
	})
}

// A writer writes programs that look for a way out, from choices that a fuzzer makes.
type writer struct {
	choices []byte
	b       strings.Builder
	depth   int
}

func (w *writer) pick(n int) int {
	if len(w.choices) == 0 {
		return 0
	}
	c := int(w.choices[0]) % n
	w.choices = w.choices[1:]
	return c
}

func (w *writer) one(list []string) string { return list[w.pick(len(list))] }

// keys are expressions for names that lead somewhere. Most can't be decided before they run.
var someKeys = []string{
	"'con' + ['structor'].join('')", "['con', 'structor'].join('')", "['__pro', 'to__'].join('')", "String.fromCharCode(99) + 'onstructor'", "'rotcurtsnoc'.split('').reverse().join('')",
	"'xconstructor'.slice(1)", "'CONSTRUCTOR'.toLowerCase()", "['con', 'structor'].reduce((a, b) => a + b)", "atob('Y29uc3RydWN0b3I=')", "decodeURIComponent('%63onstructor')", "JSON.parse('\"constructo\\\\u0072\"')",
	"Object.keys({ constructor: 1 })[0]", "`${['constr']}${[['uctor']]}`.trim()", "{ toString: () => 'constructor' }", "[[['con' + 'struct'.concat('')] + 'or']]", "'constructor'.toString()", "String('constructor')", "String.raw`constructor`",
	"'constructor'", "'__proto__'", "k", "k + ''", "'prototype'", "'call'", "'apply'", "'bind'", "'map'", "'then'", "'caller'", "'callee'", "'arguments'", "Symbol.species", "Symbol.iterator", "Symbol.toPrimitive", "'__defineGetter__'", "'__lookupGetter__'", "'valueOf'", "0", "'globalThis'", "'fetch'",
}

// values are expressions to start from.
var someValues = []string{
	"() => {}", "async () => {}", "function* () {}", "async function* () {}", "function () { return this }", "class {}", "class { static m() {} }", "{ m() {} }.m", "{ get a() { return this } }", "{ async m() {} }.m",
	"[]", "''", "1", "1n", "true", "/x/", "Symbol()", "new Map()", "new Set()", "new Date()", "new Error('x')", "Promise.resolve(1)", "new URL('http://x/')", "new URLSearchParams('a=b')", "[][Symbol.iterator]()", "''[Symbol.iterator]()", "(function* () { yield 1 })()",
	"new Map().entries()", "'x'.matchAll(/x/g)", "Object", "Array", "Promise", "String", "RegExp", "JSON", "Math", "console", "console.log", "structuredClone", "URL", "atob", "params", "params.see", "this", "arguments", "new WeakMap()", "Object.create(null)", "Error", "AggregateError",
	"parseInt", "Symbol", "BigInt", "Date", "a", "b", "c", "structuredClone({ a: [1] })", "Object.getOwnPropertyDescriptor(URL.prototype, 'href').get", "new Error('x').stack", "Function", "eval", "fetch", "globalThis", "Reflect", "Proxy", "process", "require", "setTimeout", "new.target",
}

var someTexts = []string{`'return "made at" + " run time"'`, `'return fetch'`, `'return globalThis'`, `'return this'`, `"a", "return process"`, "`return \"made at\" + \" run time\"`"}

func (w *writer) key() string { return w.one(someKeys) }

func (w *writer) value() string {
	if w.depth++; w.depth > 6 {
		return "a"
	}
	defer func() { w.depth-- }()
	switch w.pick(14) {
	case 0:
		return "Object.getPrototypeOf(" + w.value() + ")"
	case 1, 2, 3:
		return "(" + w.value() + ")[" + w.key() + "]"
	case 4:
		return "(Object.getOwnPropertyDescriptor(" + w.value() + ", " + w.key() + ") ?? {}).value"
	case 5:
		return "Object.values(Object.getOwnPropertyDescriptors(" + w.value() + ")).map((d) => d.value ?? d.get)[" + string(rune('0'+w.pick(6))) + "]"
	case 6:
		return "(" + w.value() + ")(" + w.one(someTexts) + ")"
	case 7:
		return "new (" + w.value() + ")(" + w.one(someTexts) + ")"
	case 8:
		return "(" + w.value() + ").call(" + w.value() + ", " + w.one(someTexts) + ")"
	case 9:
		return "(" + w.value() + ")?.[" + w.key() + "]?.(" + w.value() + ")"
	case 10:
		return "(" + w.value() + ")`return \"made at\" + \" run time\"`"
	case 11:
		return "await (" + w.value() + ")"
	}
	return "(" + w.one(someValues) + ")"
}

// looking shows values to the test, and what comes of calling them.
const looking = `const tries = [(f) => f(), (f) => f().then((v) => params.see(v)), (f) => f().next().value, (f) => f('return "made at" + " run time"')(), (f) => new f(), (f) => f.value, (f) => f.get()];
const look = (...list) => {
  for (const v of list) {
    params.see(v);
    for (const t of tries) try { params.see(t(v)) } catch {}
  }
};
`

// statement writes one that tries something, shows what it got, and survives.
func (w *writer) statement() {
	target := w.one([]string{"a", "b", "c"})
	body := target + " = " + w.value()
	switch w.pick(16) {
	case 0:
		body = "({ [" + w.key() + "]: " + target + " } = " + w.value() + ")"
	case 1:
		body = "for (const x of [" + w.value() + "]) { " + target + " = x[" + w.key() + "] }"
	case 2:
		body = "k = " + w.key()
	case 3:
		body = target + " = (({ [" + w.key() + "]: x }) => x)(" + w.value() + ")"
	case 4:
		body = "class K extends (" + w.value() + ") { m() { return super[" + w.key() + "] } static s = this } " + target + " = new K().m()"
	case 5:
		body = "Object.defineProperty(" + w.value() + ", " + w.key() + ", { value: " + w.value() + " })"
	case 6:
		body = target + " = JSON.parse(JSON.stringify({ a: 1 }), function (k, v) { return this })"
	case 7:
		body = target + " = [3, 1].sort(" + w.value() + ")"
	case 8:
		body = "Object.prototype.then = undefined; Array.prototype[Symbol.iterator]; Object.setPrototypeOf(" + w.value() + ", " + w.value() + ")"
	case 9:
		body = target + " = 'x'.replace(/x/, " + w.value() + ")"
	case 10:
		body = target + " = await new Promise((r, j) => r({ then: " + w.value() + ", catch: j }))"
	case 11:
		body = "throw " + w.value()
	case 12, 13, 14: // straight at what makes code
		body = target + " = (" + w.one(someValues[:14]) + ")[" + w.one(someKeys[:18]) + "](" + w.one(someTexts) + ")"
	}
	w.b.WriteString("try { " + body + " } catch (e) { c = e }\nlook(a, b, c);\n")
}

// shadowed are names that no script may have, but may use for something of its own.
var shadowed = []string{"fetch", "Reflect", "globalThis", "Proxy", "crypto", "process", "require", "setTimeout", "WebAssembly", "Uint8Array", "self", "Response", "__host"}

// scopes are statements that bind N somewhere. What stands for @ is run where N may be bound or not.
var scopes = []string{
	"{ let N = 1; @ } @", "{ @; var N } @", "{ const N = [@]; @ }", "(function N() { @ })(); @", "(class N { static s = @; static { @ } }); @", "{ class N extends (@, Object) { [@] = @ } @ } @",
	"try { throw 1 } catch (N) { @ } @", "try { throw {} } catch ({ a: N = @ }) { @ } finally { @ }", "try { throw 1 } catch (N) { var N; @ } @", "for (const N of [@]) { @ } @", "for (let N = @; N < 1; N++) { @ } @", "for (var N in { a: @ }) { @ } @", "for (let N in { a: 1 }) ((x = @) => @)(); @",
	"{ function N() {} @ } @", "(({ [@]: N = @ }) => { @ })({}); @", "((x = @) => { var N; @ })(); @", "((N, y = [@]) => { @ })(1); @", "((x = () => @, { N } = { N: @ }) => { x(); @ })(); @", "(() => { @; { var N } })(); @", "((...N) => { @ })(@); @", "(([N = @]) => @)([]); @",
	"switch (@) { case @: let N; default: @ } @", "N: for (const x of [1]) { @; break N } @", "({ N() { @ } }).N(); @", "({ get N() { return @ } }).N; @", "({ N: a } = { N: @ }); @", "({ a: a = @ } = {}); @", "({ a: N } = { a: @ }); @", "({ N } = { N: @ }); @", "({ N: 1 }); @", "a = { N }; look(a.N)",
	"class K { static N = 1; static { @ } }", "class K { static { var N = 1; @ } static x = @ }", "class K { static { @; function N() {} } m(x = @) { @ } } new K().m()", "(function () { @; var N })(); @", "await (async (N) => { @ })(1); @", "[...(function* N(x = @) { yield @ })()]; @", "(async N => @)(1); @", "(N => { { let N; @ } @ })(@); @",
	"if (1) { let N; @ } else @; @", "if (1) { @ } else { var N }", "typeof N; @", "(function (N = @) { var N; @ })(); @", "(function () { { function N() { @ } N() } @ })(); @", "let { length: N } = [@]; @", "{ using N = { [Symbol.dispose]() { @ } }; @ } @", "for (using N of [null]) { @ } @", "for await (const N of [@]) { @ } @",
	"(() => { try { @ } finally { var [N] = [1] } @ })(); @", "new (class { #N = @; m() { return this.#N + @ } }).m(); @", "a = `${@}`; a = ((N) => `${[@]}`)(1); @", "N?.a; @", "(N, @)", "N = @; @", "N &&= @", "N++; @", "[N] = [@]; @", "for (N of [@]) {} @", "for (const { N: x = @ } of [{}]) { @ }", "new.target; @", "arguments[0]; @",
	"enum N { A = 1, B = [@].length } @", "(() => { namespace N { export const x = @; @ } @ })(); @", "{ enum K { N = 1, B = [@].length } } @", "{ namespace K { export const N = 1; @ } @ } @", "class T { constructor(private N = @, x = @) { @ } } new T(); @", "class D { accessor N = @ } new D(); @", "((N: any, this_?: typeof N) => @)(1); @", "(function (this: any, N?: any) { @ })(); @", "{ type N = 1; interface K { N: N } @ } @", "declare const N: any; @", "declare function N(): void; @", "abstract class N { declare a: any } @",
}

// scope writes a statement about a name that may be bound where it is used.
func (w *writer) scope() {
	name := w.one(shadowed)
	var b strings.Builder
	for i, part := range strings.Split(strings.ReplaceAll(w.one(scopes), "N", name), "@") {
		if i > 0 {
			b.WriteString(w.one([]string{"0", "look(" + name + ")", "(() => look(" + name + "))()", "params.see(" + name + ")", "((x = " + name + ") => look(x))()", "look(typeof " + name + ", { " + name + " }." + name + ")", "0", "0"}))
		}
		b.WriteString(part)
	}
	w.b.WriteString("try { " + b.String() + " } catch (e) { c = e }\n")
}

func (w *writer) program() string {
	w.b.WriteString(looking)
	w.b.WriteString("let a, b, c, k = 'x';\n")
	for n := 1 + w.pick(5); n > 0; n-- {
		if w.pick(4) == 0 {
			w.scope()
		} else {
			w.statement()
		}
	}
	w.b.WriteString("return 1")
	return w.b.String()
}

// FuzzHardened runs what passes the check, and looks whether it reached anything. The check and
// Harden are to close together what neither does alone.
func FuzzHardened(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		seed := make([]byte, 40+r.IntN(80))
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 500 {
			return
		}
		w := &writer{choices: choices}
		bare, js := w.pick(2) == 0, w.pick(4) > 0
		src := w.program()
		p, problems := Check([]byte(src), &Options{JavaScript: js})
		if p == nil {
			for _, x := range problems {
				if x.Category == Syntax && x.Text == "" {
					t.Errorf("%s: %v", src, x)
				}
			}
			return
		}
		h := newRealm(t, p.Needs)
		h.close(t, bare)
		h.run(t, p, time.Second)
		if len(h.reached) > 0 {
			t.Errorf("%s\nreached %v", src, h.reached)
		}
	})
}

// close makes a realm one for scripts: bare, or as in tool/script's worker, without code from strings but with
// all globals, which a checked program cannot name.
func (h *hardened) close(t testing.TB, bare bool) {
	t.Helper()
	if !bare {
		h.ForbidCode()
	} else if err := Harden(h.Runtime, "params"); err != nil {
		t.Fatal(err)
	}
}

// TestHardenedBySeeds runs more programs than the seeds of the fuzz, always the same.
func TestHardenedBySeeds(t *testing.T) {
	ran := 0
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 7))
		choices := make([]byte, 150)
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		src := (&writer{choices: choices}).program()
		p, _ := Check([]byte(src), &Options{JavaScript: true})
		if p == nil {
			continue
		}
		ran++
		h := newRealm(t, p.Needs)
		h.close(t, seed%2 == 0)
		h.run(t, p, time.Second)
		if len(h.reached) > 0 {
			t.Errorf("%s\nreached %v", src, h.reached)
		}
	}
	t.Logf("%d programs passed the check and ran", ran)
	if ran < 250 {
		t.Error("too few")
	}
}
