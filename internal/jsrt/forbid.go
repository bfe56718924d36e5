package jsrt

import (
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What turns strings into code: eval and the constructors of functions.
type forbidden int

const (
	functionCtor forbidden = iota
	asyncCtor
	generatorCtor
	evalFunction
	forbiddenCount
)

// forbiddenPrograms make what stands in their place.
var forbiddenPrograms = func() (list [forbiddenCount]*goja.Program) {
	// EvalError is the one there is when they are made, whatever code does to the global.
	const refuse = `throw new EvalError("Code generation from strings disallowed for this context")`
	for i, name := range []string{"Function", "AsyncFunction", "GeneratorFunction"} {
		list[i] = goja.MustCompile("samkit:code", fmt.Sprintf("((EvalError) => function %s() { %s })(EvalError)", name, refuse), true)
	}
	list[evalFunction] = goja.MustCompile("samkit:code", fmt.Sprintf(`((EvalError) => [(code) => { if (typeof code === "string") %s; return code }][0])(EvalError)`, refuse), true)
	return list
}()

// examples have a function of each kind, whose prototype has the constructor.
var examples = [...]*goja.Program{goja.MustCompile("samkit:code", "() => {}", true), goja.MustCompile("samkit:code", "async () => {}", true), goja.MustCompile("samkit:code", "(function* () {})", true)}

// ForbidCode takes away what turns strings into code, from a runtime in which no code has run. Code is measured
// before it is compiled, since a stack that overflows in the compiler ends the process; what comes as a string would not be.
func (rt *Runtime) ForbidCode() {
	l := knownLayout()
	if l == nil {
		for i, example := range examples {
			proto := rt.constant(example).Prototype()
			Hide(proto, "constructor", rt.refuse(forbidden(i), proto))
		}
		rt.DefineGlobal("Function", rt.forbidden[functionCtor])
		rt.DefineGlobal("eval", rt.refuse(evalFunction, nil))
		return
	}
	amend(l.templateOf(rt.Global), &codelessGlobals)
	amend(l.templateOf(rt.functionProto), &codelessFunctions)
	*hidden(rt.VM, l.asyncProto) = l.newObject(rt.VM, rt.functionProto, asyncProto)
	*hidden(rt.VM, l.generatorFunctionProto) = l.newObject(rt.VM, rt.functionProto, generatorFunctionProto)
}

// refuse returns what stands in the place of f. The constructor of a kind of functions has their prototype.
func (rt *Runtime) refuse(f forbidden, proto *goja.Object) *goja.Object {
	if rt.forbidden[f] == nil {
		o := rt.constant(forbiddenPrograms[f])
		if proto != nil {
			o.DefineDataProperty("prototype", proto, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
		}
		rt.forbidden[f] = o
	}
	return rt.forbidden[f]
}

// refusal makes a property with what stands in the place of f.
func refusal(f forbidden) propertyFactory {
	return func(vm *goja.Runtime) goja.Value {
		l := knownLayout()
		rt := l.runtimeOf(vm)
		var proto *goja.Object
		switch f {
		case functionCtor:
			proto = rt.functionProto
		case asyncCtor:
			proto = *hidden(vm, l.asyncProto)
		case generatorCtor:
			proto = *hidden(vm, l.generatorFunctionProto)
		}
		return l.value(&property{value: rt.refuse(f, proto), writable: true, configurable: true})
	}
}

// replace puts a factory in the place of one that a template has.
func replace(t *template, name string, make propertyFactory) {
	t.props[unistring.NewFromString(name)] = make
}

var (
	codelessGlobals = amendment{change: func(t *template) {
		replace(t, "Function", refusal(functionCtor))
		replace(t, "eval", refusal(evalFunction))
	}}
	codelessFunctions = amendment{change: func(t *template) { replace(t, "constructor", refusal(functionCtor)) }}

	asyncProto             = kindProto("AsyncFunction", asyncCtor)
	generatorFunctionProto = func() *template {
		t := kindProto("GeneratorFunction", generatorCtor)
		t.put("prototype", func(vm *goja.Runtime) goja.Value { // goja has made it by then, for the function that leads here
			l := knownLayout()
			return l.value(&property{value: *hidden(vm, l.generatorProto), configurable: true})
		})
		return t
	}()
)

// kindProto is the template of the prototype of a kind of functions.
func kindProto(name string, ctor forbidden) *template {
	t := &template{}
	t.put("constructor", refusal(ctor))
	t.putSymbol(goja.SymToStringTag, func(vm *goja.Runtime) goja.Value {
		return knownLayout().value(&property{value: vm.ToValue(name), configurable: true})
	})
	return t
}

// baseGlobals is what every runtime has otherwise than goja: it notes Promise when it is made.
var baseGlobals = amendment{change: func(t *template) {
	own := t.props["Promise"]
	replace(t, "Promise", func(vm *goja.Runtime) goja.Value {
		l := knownLayout()
		v := own(vm)
		if p := l.propertyOf(v); p != nil {
			l.runtimeOf(vm).notePromise(p.value)
		} else {
			l.runtimeOf(vm).notePromise(v)
		}
		return v
	})
}}
