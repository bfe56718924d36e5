package jsrt

import (
	"reflect"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// TestPrivateArrowsAsMethods compares classes with what goja makes of them, and looks at which functions stay fields.
func TestPrivateArrowsAsMethods(t *testing.T) {
	for _, test := range []struct {
		code  string
		field bool
	}{
		{`class C { #a = 1; #f = (x, y = 2) => this.#a + x + y; m(o) { return [this.#f(1), o.#f(2, 3)].join() } } return new C().m(new C())`, false},
		{`class C { #f = async () => this; m() { return this.#f() instanceof Promise } } return new C().m()`, false},
		{`class C { #f = x => { if (x > 0) return this.#f(x - 1) + 1; return 0 }; m() { return this.#f(5) } } return new C().m()`, false},
		{`class C { #f = () => { throw new Error("x") }; m() { try { this.#f() } catch (e) { return e.stack.includes("#f") } } } return new C().m()`, false},
		{`class C { g = () => this.#f(); #f = () => this === c } const c = new C(); return c.g.call(1)`, false},
		{`class B { constructor() { try { this.m() } catch (e) { this.e = e instanceof TypeError } } } class C extends B { #f = () => 1; m() { return this.#f() } } const c = new C(); return [c.e, c.m()].join()`, false},
		{`class B { constructor(o) { return o } } class C extends B { #f = () => this; static f(o) { return o.#f() } } const o = {}; new C(o); return C.f(o) === o`, false},
		{`class C { #f = () => 1; m() { return this.#f } } return new C().m() === new C().m()`, true},
		{`class C { #f = () => 1; m() { this.#f = () => 2; return this.#f() } } return new C().m()`, true},
		{`class C { #f = () => 1; m() { return [1].map(this.#f)[0] } } return new C().m()`, true},
		{`class C { #f = () => 1; static m(o) { return #f in o } } return [C.m(new C()), C.m({})].join()`, true},
		{`class C { #f = () => new.target; m() { return this.#f() } } return String(new C().m())`, true},
		{`class C { x = (() => { try { return this.#f() } catch (e) { return e instanceof TypeError } })(); #f = () => 1; m() { return this.#f() } } return new C().x`, true},
		{`class C { #f = () => 1; m() { return this.#f?.() } } return new C().m()`, true},
		{`class C { #f = () => 1; m() { const { m } = class { static #f = 3; static m(o) { return o.#f } }; try { return m(this) } catch (e) { return "no" } } } return new C().m()`, true},
	} {
		code := "module.exports = String((() => { " + test.code + " })())"
		p, err := Compile("a.js", []byte(code))
		if err != nil {
			t.Fatal(err, code)
		}
		vm := goja.New()
		v, err := vm.RunString("const module = {};" + code + "; module.exports")
		if err != nil {
			t.Fatal(err, code)
		}
		if got, want := lateExports(t, p).String(), v.String(); got != want {
			t.Errorf("got %s, want %s\n%s", got, want, test.code)
		}
		if field := hasField(t, code); field != test.field {
			t.Errorf("#f is a field: %t, want %t\n%s", field, test.field, test.code)
		}
	}
}

// hasField rewrites code and reports whether a class still has a field #f.
func hasField(t *testing.T, code string) (found bool) {
	t.Helper()
	tree, err := goja.Parse("", wrapperHead+code+wrapperTail, parser.WithDisableSourceMaps)
	if err != nil {
		t.Fatal(err)
	}
	rewriteFields(moduleFunction(tree, len(wrapperHead+code)+1), []byte(code))
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if v.IsNil() || v.Kind() == reflect.Pointer && v.Type().Elem().PkgPath() != astPackage {
				return
			}
			if d, ok := v.Interface().(*ast.FieldDefinition); ok {
				k, private := d.Key.(*ast.PrivateIdentifier)
				found = found || private && !d.Static && k.Name == "f"
			}
			walk(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "DeclarationList" {
					walk(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(tree.Body))
	return found
}
