package workers

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// readStack is the function that a program calls for what it reads from properties named stack: see
// [jsrt.Program.ReadsStack]. The stack of an error becomes one with the places in the files as
// written, in V8's form, or what Error.prepareStackTrace makes of it.
func (in *instance) readStack(f goja.FunctionCall) goja.Value {
	vm, from, how := in.realm.VM, f.Argument(0), f.Argument(1)
	if !jsrt.Defined(from) {
		if how.ToBoolean() {
			return goja.Undefined()
		}
		if goja.IsNull(how) {
			return from
		}
		in.realm.TypeError("Cannot read property 'stack' of %s", from.String())
	}
	o, isObject := from.(*goja.Object)
	if !isObject {
		o = from.ToObject(vm)
	}
	v := o.Get("stack")
	if v == nil {
		v = goja.Undefined()
	}
	if s, ok := v.(goja.String); ok {
		if text := s.String(); strings.Contains(text, chunkName) {
			v = in.traceOf(o, text)
			if goja.IsNull(how) {
				jsrt.Hide(o, "stack", v)
			}
		}
	}
	if goja.IsNull(how) {
		return from
	}
	return v
}

// traceOf is the stack of an error as code gets it.
func (in *instance) traceOf(o *goja.Object, text string) goja.Value {
	a := in.app
	if a.packedMap != "" {
		a.positions, a.packedMap = unpackMap(a.packedMap), ""
	}
	text = original(in.mapStack(text), a.positions)
	if class, ok := in.realm.VM.Get("Error").(*goja.Object); ok {
		if prepare, ok := goja.AssertFunction(class.Get("prepareStackTrace")); ok {
			return in.realm.Call(prepare, class, o, in.callSites(text))
		}
	}
	return in.realm.VM.ToValue(text)
}

// A callSite is what a CallSite of V8's stack trace API carries, as far as goja knows.
type callSite struct {
	function, file string
	line, column   int
	text           string
}

// callSites takes a stack apart.
func (in *instance) callSites(stack string) goja.Value {
	var list []any
	for line := range strings.Lines(stack) {
		text, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), stackIndent+"at ")
		if !ok {
			continue
		}
		s := &callSite{text: text, file: text}
		if name, place, ok := strings.Cut(strings.TrimSuffix(text, ")"), " ("); ok {
			s.function, s.file = name, place
		}
		for _, n := range []*int{&s.column, &s.line} {
			i := strings.LastIndexByte(s.file, ':')
			if i < 0 {
				break
			}
			if v, err := strconv.Atoi(s.file[i+1:]); err == nil {
				*n, s.file = v, s.file[:i]
			}
		}
		list = append(list, in.callSiteClass().New(s))
	}
	return in.realm.VM.NewArray(list...)
}

// callSiteClass follows https://v8.dev/docs/stack-trace-api.
func (in *instance) callSiteClass() *jsrt.Class {
	rt := in.realm.Runtime
	return rt.Class("CallSite", 0, nil, func(k *jsrt.Class) {
		method := func(name string, get func(*callSite) any) {
			k.Method(name, 0, func(f goja.FunctionCall) goja.Value {
				switch v := get(jsrt.This[*callSite](rt, f.This)).(type) {
				case nil:
					return goja.Null()
				case goja.Value:
					return v
				default:
					return rt.VM.ToValue(v)
				}
			})
		}
		known := func(s string) any {
			if s == "" {
				return nil
			}
			return s
		}
		method("getFunctionName", func(s *callSite) any { return known(s.function) })
		method("getFileName", func(s *callSite) any { return s.file })
		method("getScriptNameOrSourceURL", func(s *callSite) any { return s.file })
		method("getLineNumber", func(s *callSite) any { return s.line })
		method("getColumnNumber", func(s *callSite) any { return s.column })
		method("toString", func(s *callSite) any { return s.text })
		for _, name := range []string{"getTypeName", "getMethodName", "getScriptHash", "getPromiseIndex"} {
			method(name, func(*callSite) any { return nil })
		}
		for _, name := range []string{"getThis", "getFunction", "getEvalOrigin"} {
			method(name, func(*callSite) any { return goja.Undefined() })
		}
		for _, name := range []string{"isNative", "isEval", "isConstructor", "isAsync", "isPromiseAll"} {
			method(name, func(*callSite) any { return false })
		}
		method("isToplevel", func(*callSite) any { return true })
	})
}
