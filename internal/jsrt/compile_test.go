package jsrt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dop251/goja"
)

// moduleExports runs a module body and returns module.exports.
func moduleExports(t *testing.T, p *Program) goja.Value {
	t.Helper()
	vm := goja.New()
	v, err := vm.RunProgram(p.Program)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	module := vm.NewObject()
	module.Set("exports", vm.NewObject())
	if _, err := f(goja.Undefined(), module, module.Get("exports"), AppendFunc(vm)); err != nil {
		t.Fatal(err)
	}
	return module.Get("exports")
}

func TestCompileFieldNames(t *testing.T) {
	for _, code := range []string{
		`class A { get = 1; set = 2; async = 3; static = 4 } module.exports = Object.entries(new A()).join()`,
		`class A { get=1;set = 2
			async = 3
			static
			= 4 } module.exports = Object.entries(new A()).join()`,
		`class A { a() { let get = 0; get = 5; if (get) {} return { get, get: get } } get /* c */ = 1; set = { get: 1, set: 2 }.get + 1; async = 3; b() {} static = 4 } module.exports = Object.entries(new A()).join()`,
		`class A { get = 1; set = 2; async = 3; static = 4; static get = 7; static async = 8; static { this.x = 1 } get get2() { return 1 } set set2(v) {} static get g() { return 1 } async f() {} static async h() {} get() {} set(v) {} async() {} *gen() {} } module.exports = Object.entries(new A()).join()`,
		"class A { get = 1; set = `${class { get = 1 }.name}2`; async = 3; static = 4 } module.exports = Object.entries(new A()).join()",
		`const A = class extends class { get = 1; set = 2 } { async = 3; static = 4 }; module.exports = Object.entries(new A()).join()`,
		`function f(b) { return class extends (b) { get = 1; set = 2; async = 3; static = 4; c = class { get = 5 } } } class O {} const a = new (f(O))(); delete a.c; module.exports = Object.entries(a).join()`,
		`class A { #get = 1; #set = 2; #async = 3; f() { return [["get", this.#get], ["set", this.#set], ["async", this.#async], ["static", 4]].join() } } module.exports = new A().f()`,
		`class A { x = /[/]} get = 1/.source; get = 1; y = 4 / 2; set = this.y / 1; async = 3; static = 4 } const a = new A(); delete a.x; delete a.y; module.exports = Object.entries(a).join()`,
		`class A { get = 1
			set = 2
			async = 3
			static = 4
			constructor() { let async, set, get; async = 9; set = 8; get = 7 } } module.exports = Object.entries(new A()).join()`,
	} {
		p, err := Compile("a.js", []byte(code))
		if err != nil {
			t.Errorf("%v\n%s", err, code)
			continue
		}
		if got := moduleExports(t, p).String(); got != "get,1,set,2,async,3,static,4" {
			t.Errorf("got %q\n%s", got, code)
		}
	}
	p, err := Compile("a.js", []byte(`class A { get } class B { set; async } module.exports = Object.keys({ ...new A(), ...new B() }).join()`))
	if err != nil {
		t.Fatal(err)
	}
	if got := moduleExports(t, p).String(); got != "get,set,async" {
		t.Errorf("got %q", got)
	}
}

func TestCompileErrors(t *testing.T) {
	for _, test := range []struct {
		code, text string
		line, col  int
	}{
		{"let a = ;", "Unexpected token ;", 1, 9},
		{"a;\n  let b = ;", "Unexpected token ;", 2, 11},
		{"class A { get = 1; async = 2; x = ; }", "Unexpected token ;", 1, 35},
		{"\u2028let a = ;", "Unexpected token ;", 2, 9},
		{"let a; let a;", "Identifier 'a' has already been declared", 1, 12},
		{"x = 1\n'use strict'; const a = 1; const a = 2", "Identifier 'a' has already been declared", 2, 34},
		{"return 1 }); (function () {", "Unexpected closing bracket", 1, 10},
		{"})(function () {", "Unexpected closing bracket", 1, 1},
		{"x = `", "", 0, 0},
		{"\xff", "", 0, 0},
		{"}", "", 0, 0},
		{"a = '", "", 0, 0},
		{"/*", "", 0, 0},
	} {
		_, err := Compile("a.js", []byte(test.code))
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: got %v", test.code, err)
			continue
		}
		if test.line != 0 && (!strings.Contains(se.Text, test.text) || se.Line != test.line || se.Column != test.col) {
			t.Errorf("%q: got %v, want %s (%d:%d)", test.code, se, test.text, test.line, test.col)
		}
	}
}

func TestUnpatch(t *testing.T) {
	code := "class A { get = 1; set = 2; f() { throw new Error('1') } }\n" +
		"class B { a = 1; #get = 2; async = 3; g() { throw new Error('2') } }\n" +
		"function h() { throw new Error('3') } exports.A = A; exports.B = B; exports.h = h;"
	p, err := Compile("a.js", []byte(code))
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	v, _ := vm.RunProgram(p.Program)
	f, _ := goja.AssertFunction(v)
	exports := vm.NewObject()
	if _, err := f(nil, goja.Undefined(), exports, AppendFunc(vm)); err != nil {
		t.Fatal(err)
	}
	vm.Set("e", exports)
	lines := strings.Split(code, "\n")
	for i, call := range []string{"new e.A().f()", "new e.B().g()", "e.h()"} {
		_, err := vm.RunString(call)
		ex, ok := err.(*goja.Exception)
		if !ok {
			t.Fatal(err)
		}
		at := ex.Stack()[0].Position()
		line, col := p.Unpatch(at.Line, at.Column)
		if line != i+1 || !strings.HasPrefix(lines[i][col-1:], "new Error") {
			t.Errorf("%s: %d:%d became %d:%d", call, at.Line, at.Column, line, col)
		}
	}
	for _, test := range [][4]int{{1, 1, 1, 1}, {1, 20, 1, 1}, {1, len(wrapperHead) + 1, 1, 1}, {1, len(wrapperHead) + 11, 1, 11}, {1, len(wrapperHead) + 12, 1, 11}, {9, 7, 9, 7}} {
		if line, col := p.Unpatch(test[0], test[1]); line != test[2] || col != test[3] {
			t.Errorf("Unpatch(%d, %d) = %d, %d, want %d, %d", test[0], test[1], line, col, test[2], test[3])
		}
	}
}

// TestCompileReadsNoFiles proves that a source map comment is not followed.
func TestCompileReadsNoFiles(t *testing.T) {
	dir := t.TempDir()
	mapFile := filepath.Join(dir, "a.js.map")
	if err := os.WriteFile(mapFile, []byte(`{"version":3,"sources":["secret.ts"],"names":[],"mappings":"AAAA"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{
		"module.exports = new Error('x')['sta' + 'ck']\n//# sourceMappingURL=" + mapFile,
		"module.exports = new Error('x')['sta' + 'ck']\n//# sourceMappingURL=a.js.map",
	} {
		p, err := Compile(filepath.Join(dir, "a.js"), []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		if got := moduleExports(t, p).String(); strings.Contains(got, "secret") {
			t.Errorf("the map was read: %s", got)
		}
	}
}

func TestProgramIsShared(t *testing.T) {
	p, err := Compile("a.js", []byte(`let s = ""; for (let i = 0; i < 200; i++) s += "ab" + i; module.exports = s.length`))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := moduleExports(t, p).ToInteger(); got != 890 {
				t.Errorf("got %d", got)
			}
			p.Unpatch(1, 40)
		})
	}
	wg.Wait()
}

// nested is code that goja parses or compiles by recursion, n deep.
func nested(n int) map[string]string {
	r := strings.Repeat
	return map[string]string{
		"parentheses": r("(", n) + "1" + r(")", n), "arrays": r("[", n) + r("]", n), "objects": "x=" + r("{a:", n) + "1" + r("}", n),
		"blocks": r("{", n) + r("}", n), "templates": r("`${", n) + "1" + r("}`", n), "calls in calls": r("f(", n) + r(")", n),
		"groups": "/" + r("(", n) + r(")", n) + "/", "lookaheads": "/" + r("(?=", n) + r(")", n) + "/", "functions": r("function a(){", n) + r("}", n),
		"not": r("!", n) + "1", "minus": r("- ", n) + "1", "void": r("void ", n) + "1", "typeof": r("typeof ", n) + "1", "new": r("new ", n) + "a",
		"conditional": r("a?b:", n) + "c", "else if": r("if(a){}else ", n) + "{}", "else if;": r("if(a)b,c;else ", n) + "d", "if if": r("if(a)", n) + ";", "for for": r("for(;;)", n) + ";",
		"do do": r("do ", n) + ";" + r("while(0);", n), "with": r("with(a)", n) + ";", "labels": labels(n), "plus": "x=a" + r("+a", n), "or": "a" + r("||a", n), "coalesce": "a" + r("??a", n), "less": "a" + r("<a", n), "power": "2" + r("**2", n),
		"members": "a" + r(".b", n), "optional": "a" + r("?.b", n), "index": "a" + r("[0]", n), "calls": "a" + r("()", n), "tags": "a" + r("``", n),
		"arrows": r("a=>", n) + "1", "assignments": r("a=", n) + "1", "extends": r("class A extends ", n) + "B{}" + r("{}", n), "arrow defaults": r("(a=", n) + "1" + r(")=>1", n),
		"async arrows": r("async(a=", n) + "1" + r(")=>1", n), "case": r("switch(a){case 1:", n) + r("}", n), "newlines": r("if(a)\n", n) + ";", "in": "a" + r(" in a", n), "in {}": "a={}" + r(" in {}", n),
		"yield": "function*g(){" + r("yield ", n) + "1}", "await": "async()=>" + r("await ", n) + "1", "destructuring": "[" + r("[", n) + r("]", n) + "]=a", "try": r("try{", n) + r("}finally{}", n),
	}
}

func labels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d:", i)
	}
	return b.String() + ";"
}

func TestCompileDeepNesting(t *testing.T) {
	for name, code := range nested(200_000) {
		_, err := Compile("a.js", []byte(code))
		var se *SyntaxError
		if !errors.As(err, &se) || !strings.Contains(se.Text, "nested too deeply") {
			t.Errorf("%s: got %.100v", name, err)
		}
	}
	for _, n := range []int{8, 300} {
		for name, code := range nested(n) {
			if n > maxArrowNest && strings.Contains(name, "arrow") && name != "arrows" {
				continue
			}
			if _, err := Compile("a.js", []byte(code)); err != nil {
				t.Errorf("%d %s: %v", n, name, err)
			}
		}
	}
}

// TestCompileLongFlat has code that is long without being deep.
func TestCompileLongFlat(t *testing.T) {
	r := strings.Repeat
	const n = 30_000
	for name, code := range map[string]string{
		"statements": r("a.b(c);", n), "lines": r("a = b\n", n), "list": "x=[" + r("1,", n) + "]", "object": "x={" + r("a:1,", n) + "}", "arguments": "f(" + r("a,", n) + "a)",
		"functions": r("function f(){}", n), "cases": "switch(a){" + r("case 1:", n) + "}", "methods": "class A{" + r("a(){}", n) + "}", "fields": "class A{" + r("a=1\n", n) + "}",
		"declarations": "var a" + r(",b=1", n), "ifs": r("if(a){b}", n), "sequence": "a" + r(",b", n), "else": r("if(a){b}else{c}", n), "tries": r("try{a}catch{b}finally{c}", n), "loops": r("while(a)b;", n), "do": r("do a;while(b);", n), "arrows": "x=[" + r("(a)=>a,", n) + "]",
	} {
		if _, err := Compile("a.js", []byte(code)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, code := range appendSnippets {
		f.Add([]byte(code))
	}
	for _, code := range nested(3) {
		f.Add([]byte(code))
	}
	f.Add([]byte("class A { #get = 1; get = 2; async\n= 3 }"))
	f.Fuzz(func(t *testing.T, code []byte) {
		p, err := Compile("a.js", code)
		var se *SyntaxError
		if err != nil && (!errors.As(err, &se) || se.Line < 1 || se.Column < 1) {
			t.Fatalf("got %v", err)
		}
		if err == nil {
			p.Unpatch(1, 1)
		}
	})
}
