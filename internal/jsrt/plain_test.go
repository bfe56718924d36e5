package jsrt

import "testing"

// TestPlainView fails when goja is no longer laid out as known here, which makes JSON slow and nothing else.
func TestPlainView(t *testing.T) {
	p := knownPlain()
	if p == nil {
		t.Fatal("goja's objects are not as plainObject and plainArray have them")
	}
	vm := newJSON().VM
	v, err := vm.RunString(`[{a: 1, get b() { return 2 }, "é": 3}, [4, 5], Object.create(null), [].concat, new Proxy({}, {}), new Date(0)]`)
	if err != nil {
		t.Fatal(err)
	}
	list := v.ToObject(vm)
	o := p.objectOf(list.Get("0").ToObject(vm))
	if o == nil || o.class != "Object" || len(o.propNames) != 3 || len(o.values) != 3 || !p.isValue(o.values["a"]) || o.values["a"].ToInteger() != 1 || p.isValue(o.values["b"]) || o.prototype != vm.NewObject().Prototype() {
		t.Errorf("an object has the view %+v", o)
	}
	if _, a := p.arrayOf(list.Get("1").ToObject(vm)); a == nil || a.length != 2 || len(a.values) != 2 || a.values[1].ToInteger() != 5 {
		t.Errorf("an array has the view %+v", a)
	}
	for _, i := range []string{"3", "4", "5"} {
		o := list.Get(i).ToObject(vm)
		if _, a := p.arrayOf(o); a != nil || p.objectOf(o) != nil {
			t.Errorf("element %s is taken for a plain one", i)
		}
	}
}
