package jsrt

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// An appendMode is one way to run a module body.
type appendMode int

const (
	plain     appendMode = iota // goja alone
	compiled                    // as Compile does
	rewritten                   // with every candidate rewritten
)

// snippetPrelude gives snippets log and long, and shows a value without losing anything.
const snippetPrelude = `
globalThis.__log = [];
globalThis.show = (v) => {
  if (typeof v === "string") {
    if (/^[\x20-\x7e]*$/.test(v)) return v.length > 60 ? "len" + v.length + ":" + v.slice(0, 10) + ".." + v.slice(-40) : "'" + v + "'";
    const codes = []; for (let i = Math.max(0, v.length - 12); i < v.length; i++) codes.push(v.charCodeAt(i).toString(16));
    return "u" + v.length + ":" + codes.join(" ");
  }
  if (typeof v === "bigint") return v + "n";
  if (typeof v === "symbol") return "symbol";
  if (Object.is(v, -0)) return "-0";
  if (v instanceof Error) return v.name;
  if (typeof v === "object" && v) return "{" + Object.keys(v).map((k) => k + ":" + show(v[k])).join() + "}";
  return String(v);
};
globalThis.log = (...v) => { __log.push(v.map(show).join(" ")); };
globalThis.attempt = (f) => { try { log(f()); } catch (e) { log(e.name); } };
globalThis.long = "0123456789".repeat(40);
`

// moduleFunctionValue compiles code for a mode and returns the module's function.
func moduleFunctionValue(t testing.TB, vm *goja.Runtime, mode appendMode, code string) goja.Callable {
	t.Helper()
	var program *goja.Program
	switch mode {
	case compiled:
		p, err := Compile("snippet.js", []byte(code))
		if err != nil {
			t.Fatalf("Compile: %v\n%s", err, code)
		}
		program = p.Program
	default:
		src := wrapperHead + code + wrapperTail
		tree, err := goja.Parse("snippet.js", src, parser.WithDisableSourceMaps)
		if err != nil {
			t.Fatalf("Parse: %v\n%s", err, code)
		}
		if mode == rewritten {
			m := moduleFunction(tree, len(src)-2)
			rewriteAppends(m, surveyOf(m), func(kinds, kinds, bool) bool { return true })
		}
		if program, err = goja.CompileAST(tree, false); err != nil {
			t.Fatalf("CompileAST: %v\n%s", err, code)
		}
	}
	v, err := vm.RunProgram(program)
	if err != nil {
		t.Fatal(err)
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		t.Fatal("the program is no function")
	}
	return f
}

func runSnippet(t testing.TB, mode appendMode, code string) []string {
	t.Helper()
	vm := goja.New()
	if _, err := vm.RunString(snippetPrelude); err != nil {
		t.Fatal(err)
	}
	module := vm.NewObject()
	exports := vm.NewObject()
	module.Set("exports", exports)
	f := moduleFunctionValue(t, vm, mode, code)
	if _, err := f(exports, module, exports, AppendFunc(vm)); err != nil {
		if ex, ok := err.(*goja.Exception); ok {
			vm.Set("__err", ex.Value())
			vm.RunString(`__log.push("threw " + (__err && __err.name || show(__err)))`)
		} else {
			t.Fatal(err)
		}
	}
	var out []string
	if err := vm.ExportTo(vm.Get("__log"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// runNode runs all snippets in one node process.
func runNode(t *testing.T, snippets []string) [][]string {
	if _, err := exec.LookPath("node"); err != nil {
		t.Log("node is not installed: compared goja with itself only")
		return nil
	}
	list, _ := json.Marshal(snippets)
	cmd := exec.Command("node", "-e", snippetPrelude+`
(async () => {
  const out = [];
  for (const code of `+string(list)+`) {
    globalThis.__log = [];
    const module = { exports: {} };
    try { new Function("module", "exports", code).call(module.exports, module, module.exports); }
    catch (e) { __log.push("threw " + (e && e.name || show(e))); }
    await new Promise((r) => setTimeout(r, 1));
    out.push(__log);
  }
  console.log(JSON.stringify(out));
})()`)
	data, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, data)
	}
	var out [][]string
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("node: %v\n%s", err, data)
	}
	return out
}

// TestAppendMeansPlus runs the snippets unchanged, as Compile does, and with
// every candidate rewritten, and compares with node.
func TestAppendMeansPlus(t *testing.T) {
	node := runNode(t, appendSnippets)
	for i, code := range appendSnippets {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			want := runSnippet(t, plain, code)
			if len(want) == 0 {
				t.Fatalf("the snippet logs nothing:\n%s", code)
			}
			for _, mode := range []appendMode{compiled, rewritten} {
				if got := runSnippet(t, mode, code); strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("mode %d of\n%s\ngot  %q\nwant %q", mode, code, got, want)
				}
			}
			if node != nil && strings.Join(node[i], "\n") != strings.Join(want, "\n") {
				t.Errorf("%s\ngoja %q\nnode %q", code, want, node[i])
			}
		})
	}
}

// TestAppendIsRewritten checks that the table above tests something.
func TestAppendIsRewritten(t *testing.T) {
	for _, test := range []struct {
		code string
		want bool
	}{
		{"let s = ''; s += x", true},
		{"let s = ``; s += f()", true},
		{"let n = 0; n += x", false},
		{"let n = 0; n += 1", false},
		{"let n; n += 1", false},
		{"let s; s += 'a'", true},
		{"function f(s, x) { s += x }", true},
		{"function f(n, x) { n += x; return n * 2 }", false},
		{"function f(s = '', x) { s += x }", true},
		{"for (let i = from; i < n; i += step) ;", false},
		{"class A { out = ''; put(x) { this.out += x } }", true},
		{"class A { n = 0; put(x) { this.n += x } }", false},
		{"class A { #s = ''; put(x) { this.#s += x } }", true},
		{"class A { #n = 0; put(x) { this.#n += x } }", false},
		{"o.s += x + '<br>'", true},
		{"o.pos += s.length", false},
		{"list[i] += x", false},
		{"let i = 0; list[i] += '<br>'", true},
		{"list[f()] += '<br>'", false},
		{"let s = ''; s = s + x", true},
		{"let n = 0; n = n + x", false},
		{"n = n + 1", false},
		{"let s = ''; for (const x of list) s = `${s}<li>${x}</li>`", true},
		{"let s = ''; s = `${s}<li>`; s += x", true},
		{"let s = list; for (const x of list) s = `${s}<li>${x}</li>`", false},
		{"function f(s) { s = `${s}<li>` }", false},
		{"rows.reduce((s, x) => s + '<li>' + x, '')", true},
		{"rows.reduce(function (s, x) { return s + x }, '')", true},
		{"rows.reduce((s, x) => s + x, 0)", false},
		{"with (o) { s += 'x' }", false},
	} {
		tree, err := goja.Parse("", wrapperHead+test.code+wrapperTail, parser.WithDisableSourceMaps)
		if err != nil {
			t.Fatal(err)
		}
		f := moduleFunction(tree, len(wrapperHead+test.code)+1)
		rewriteAppends(f, surveyOf(f), likelyAppend)
		if got := len(f.ParameterList.List) > 2; got != test.want {
			t.Errorf("%s: rewritten %v, want %v", test.code, got, test.want)
		}
	}
}

func TestAppenderLimits(t *testing.T) {
	vm := goja.New()
	a := NewAppender(vm)
	a.longest = 1 << 20
	vm.Set("append", a.Value())
	v, err := vm.RunString(`
		let s = "x".repeat(1000), caught = "";
		try { for (;;) s = append(s, s) } catch (e) { caught = e instanceof RangeError && e.message }
		caught + " " + s.length`)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.String(); got != "Invalid string length 1024000" {
		t.Errorf("got %q", got)
	}
}

func TestAppenderForgets(t *testing.T) {
	vm := goja.New()
	a := NewAppender(vm)
	vm.Set("append", a.Value())
	if _, err := vm.RunString(`
		const keep = [];
		for (let k = 0; k < 40; k++) { let s = "y".repeat(1 << 20); for (let i = 0; i < 3; i++) s = append(s, k); keep.push(s) }`); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, g := range a.open {
		sum += g.bytes
	}
	if sum != a.held || a.held > maxHeld || len(a.open) > maxGrowing {
		t.Errorf("%d strings of %d bytes are held, by its count %d", len(a.open), sum, a.held)
	}
	a.Reset()
	if len(a.open) != 0 || a.held != 0 {
		t.Error("Reset keeps strings")
	}
	v, err := vm.RunString(`keep[39] = append(keep[39], "z"); keep.map((s) => s.slice(1 << 20)).join()`)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.String(); !strings.HasPrefix(got, "000,111,222,") || !strings.HasSuffix(got, "383838,393939z") {
		t.Errorf("got %q", got)
	}
}

func TestAppendInterrupted(t *testing.T) {
	vm := goja.New()
	f := moduleFunctionValue(t, vm, compiled, `let s = ""; s += { toString() { for (;;); } }`)
	timer := time.AfterFunc(10*time.Millisecond, func() { vm.Interrupt("late") })
	defer timer.Stop()
	_, err := f(nil, goja.Undefined(), goja.Undefined(), AppendFunc(vm))
	if _, ok := err.(*goja.InterruptedError); !ok {
		t.Fatalf("got %v", err)
	}
}

func TestAppendStack(t *testing.T) {
	vm := goja.New()
	f := moduleFunctionValue(t, vm, compiled, "let s = '';\ns += { toString() { throw new Error('no') } }")
	_, err := f(nil, goja.Undefined(), goja.Undefined(), AppendFunc(vm))
	ex, ok := err.(*goja.Exception)
	if !ok {
		t.Fatalf("got %v", err)
	}
	stack := ex.String()
	if strings.Contains(stack, "jsrt") || !strings.Contains(stack, "snippet.js:2:") {
		t.Errorf("stack:\n%s", stack)
	}
}
