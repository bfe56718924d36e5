package workers

import (
	"reflect"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// maxNesting is how deeply JSON may be nested. goja reads and writes it by recursion, on a stack that
// must not overflow, and looks for cycles on the whole path at every step.
const maxNesting = 5000

// guardJSON replaces JSON.parse and JSON.stringify. The Web APIs are installed
// afterwards and so use the guarded ones.
func (g *guard) guardJSON(rt *jsrt.Runtime) {
	n := &nester{}
	rt.CheckJSON = func(o *goja.Object) {
		if n.deep(o) {
			rt.RangeError("The value is nested too deeply for JSON")
		}
	}
	if !g.json {
		return
	}
	json := rt.VM.Get("JSON").(*goja.Object)
	parse, _ := goja.AssertFunction(json.Get("parse"))
	stringify, _ := goja.AssertFunction(json.Get("stringify"))
	hide := func(name string, length int, fn func(goja.FunctionCall) goja.Value) {
		jsrt.Hide(json, name, rt.Func(name, length, fn))
	}
	hide("parse", 2, func(f goja.FunctionCall) goja.Value {
		text := f.Argument(0)
		if _, primitive := text.(goja.String); !primitive {
			text = text.ToString()
		}
		if s := text.String(); nesting(s) > maxNesting {
			panic(rt.NewError("SyntaxError", "JSON is nested too deeply"))
		}
		return rt.Call(parse, f.This, append([]goja.Value{text}, f.Arguments[min(1, len(f.Arguments)):]...)...)
	})
	hide("stringify", 3, func(f goja.FunctionCall) goja.Value {
		if o, ok := f.Argument(0).(*goja.Object); ok {
			rt.CheckJSON(o)
		}
		return rt.Call(stringify, f.This, f.Arguments...)
	})
}

// nesting returns how deeply brackets are nested in s outside of strings.
func nesting(s string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest
}

// A nester tells how deeply values are nested.
type nester struct {
	fields map[reflect.Type][]int // where a kind of object keeps its elements or properties
}

// deep reports whether o is nested too deeply. To be fast it is no proof: it
// looks at some members of each object only, and gives up on what is wide and looks
// flat. It runs no code: no getter, no trap of a proxy.
func (n *nester) deep(o *goja.Object) bool {
	const flat = 2000
	deepest, seen := 0, 0
	var path map[*goja.Object]bool
	todo := append(make([]nested, 0, 16), nested{o, 1})
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		deepest = max(deepest, p.depth)
		if deepest > maxNesting {
			return true
		}
		if seen++; seen > flat && deepest < flat/10 || seen > 4*maxNesting {
			return false
		}
		if p.depth > flat/10 {
			if path[p.o] {
				continue // a cycle, which JSON.stringify reports
			}
			if path == nil {
				path = map[*goja.Object]bool{}
			}
			path[p.o] = true
		}
		todo = n.members(p, todo)
	}
	return false
}

type nested struct {
	o     *goja.Object
	depth int
}

// members appends the objects in p to list, if there are many some of them. goja gives access to
// them only with the getters among them being run, hence reflection; if goja's types were
// others, nothing would be found (TestNesting).
func (n *nester) members(p nested, list []nested) []nested {
	const few = 16
	self := reflect.ValueOf(p.o).Elem().FieldByName("self").Elem()
	if self.Kind() != reflect.Pointer {
		return list
	}
	self = self.Elem()
	index, known := n.fields[self.Type()]
	if !known {
		if f, ok := self.Type().FieldByName("values"); ok && self.Type().Name() != "sparseArrayObject" {
			index = f.Index
		}
		if n.fields == nil {
			n.fields = map[reflect.Type][]int{}
		}
		n.fields[self.Type()] = index
	}
	if index == nil {
		return list
	}
	visit := func(v reflect.Value) {
		if v = v.Elem(); v.IsValid() && v.Type() == objectType {
			list = append(list, nested{(*goja.Object)(v.UnsafePointer()), p.depth + 1})
		}
	}
	switch values := self.FieldByIndex(index); values.Kind() {
	case reflect.Slice:
		count := values.Len()
		for i := range min(count, few) {
			visit(values.Index(i))
		}
		if count > few {
			visit(values.Index(count - 1))
		}
	case reflect.Map:
		i := 0
		for it := values.MapRange(); it.Next() && i < 4*few; i++ {
			visit(it.Value())
		}
	}
	return list
}

var objectType = reflect.TypeFor[*goja.Object]()
