package webapi

import (
	"reflect"

	"github.com/dop251/goja"
)

// kind is what an object is to the engine, whatever its prototype and its
// properties say. goja tells some kinds by no exported means, so this asks for
// the name of its own type, which code cannot forge. TestKinds guards the names.
type kind int

const (
	kindOther kind = iota // has state of its own: a generator, an iterator
	kindPlain
	kindArguments
	kindArray
	kindFunction
	kindError
	kindDate
	kindRegExp
	kindBoxed // Number, Boolean, BigInt, Symbol
	kindBoxedString
	kindMap
	kindSet
	kindWeakMap
	kindWeakSet
	kindPromise
	kindProxy
	kindBuffer // an ArrayBuffer, or the carrier of a native class
	kindTypedArray
	kindDataView
	kindGenerator
)

var kinds = map[string]kind{
	"*goja.baseObject": kindPlain, "*goja.guardedObject": kindPlain, "*goja.templatedObject": kindPlain, "*goja.lazyObject": kindPlain,
	"*goja.argumentsObject": kindArguments,
	"*goja.arrayObject":     kindArray, "*goja.sparseArrayObject": kindArray, "*goja.templatedArrayObject": kindArray, "*goja.taggedTemplateArray": kindArray,
	"*goja.errorObject": kindError, "*goja.dateObject": kindDate, "*goja.regexpObject": kindRegExp,
	"*goja.primitiveValueObject": kindBoxed, "*goja.stringObject": kindBoxedString,
	"*goja.mapObject": kindMap, "*goja.setObject": kindSet, "*goja.weakMapObject": kindWeakMap, "*goja.weakSetObject": kindWeakSet,
	"*goja.Promise": kindPromise, "*goja.proxyObject": kindProxy, "*goja.arrayBufferObject": kindBuffer,
	"*goja.typedArrayObject": kindTypedArray, "*goja.dataViewObject": kindDataView, "*goja.generatorObject": kindGenerator,
}

func kindOf(o *goja.Object) kind {
	self := reflect.ValueOf(o).Elem().FieldByName("self")
	if !self.IsValid() || self.IsNil() {
		return kindOther
	}
	if k, ok := kinds[self.Elem().Type().String()]; ok {
		if k == kindPlain && o.ClassName() == "Arguments" { // of a strict function
			return kindArguments
		}
		return k
	}
	if _, ok := goja.AssertFunction(o); ok {
		return kindFunction
	}
	return kindOther
}

// An intrinsic is a function of the engine that native code needs and Go has no
// name for. It is looked up when first needed, so code that replaced it before
// sees the call; that concerns no one but that code.
type intrinsic int

const (
	getDescriptor intrinsic = iota // Object.getOwnPropertyDescriptor
	mapForEach
	mapSize
	setForEach
	setSize
	mapSet
	setAdd
	regExpSource
	stringValue
	typedName
	typedBuffer
	typedOffset
	typedLength
	viewBuffer
	viewOffset
	viewLength
	intrinsicCount
)

// intrinsicSources are the programs that find them.
var intrinsicSources = [intrinsicCount]*goja.Program{
	getDescriptor: methodProgram("Object.getOwnPropertyDescriptor"),
	mapForEach:    methodProgram("Map.prototype.forEach"), mapSize: getterProgram("Map.prototype", `"size"`),
	setForEach: methodProgram("Set.prototype.forEach"), setSize: getterProgram("Set.prototype", `"size"`),
	mapSet: methodProgram("Map.prototype.set"), setAdd: methodProgram("Set.prototype.add"),
	regExpSource: getterProgram("RegExp.prototype", `"source"`), stringValue: methodProgram("String.prototype.valueOf"),
	typedName: getterProgram("Object.getPrototypeOf(Uint8Array.prototype)", "Symbol.toStringTag"), typedBuffer: getterProgram("Object.getPrototypeOf(Uint8Array.prototype)", `"buffer"`),
	typedOffset: getterProgram("Object.getPrototypeOf(Uint8Array.prototype)", `"byteOffset"`), typedLength: getterProgram("Object.getPrototypeOf(Uint8Array.prototype)", `"length"`),
	viewBuffer: getterProgram("DataView.prototype", `"buffer"`), viewOffset: getterProgram("DataView.prototype", `"byteOffset"`), viewLength: getterProgram("DataView.prototype", `"byteLength"`),
}

func methodProgram(path string) *goja.Program {
	return goja.MustCompile("samkit:intrinsic", "("+path+")", true)
}

func getterProgram(proto, name string) *goja.Program {
	return goja.MustCompile("samkit:intrinsic", "Object.getOwnPropertyDescriptor("+proto+","+name+").get", true)
}

// call calls an intrinsic.
func (r *Realm) call(i intrinsic, this goja.Value, args ...goja.Value) goja.Value {
	fn := r.intrinsics[i]
	if fn == nil {
		v, err := r.VM.RunProgram(intrinsicSources[i])
		if err != nil {
			panic(err)
		}
		var ok bool
		if fn, ok = goja.AssertFunction(v); !ok {
			r.TypeError("a built-in method has been replaced by something that is no function")
		}
		r.intrinsics[i] = fn
	}
	return r.Call(fn, this, args...)
}

// regExpParts returns the source and the flags of a RegExp.
func (r *Realm) regExpParts(o *goja.Object) (source, flags string) {
	if e := r.expressionOf(o); e != nil {
		return shownSource(e.source), e.flags
	}
	source = r.call(regExpSource, o).String()
	pattern := reflect.ValueOf(o).Elem().FieldByName("self").Elem().Elem().FieldByName("pattern").Elem()
	for _, f := range []struct{ field, letter string }{
		{"global", "g"}, {"ignoreCase", "i"}, {"multiline", "m"}, {"dotAll", "s"}, {"unicode", "u"}, {"sticky", "y"},
	} {
		if v := pattern.FieldByName(f.field); v.IsValid() && v.Bool() {
			flags += f.letter
		}
	}
	return source, flags
}

// walk calls fn for each entry of a Map or, with key and value equal, of a Set,
// until it returns false. It runs no code but fn.
func (r *Realm) walk(o *goja.Object, k kind, fn func(key, value goja.Value) bool) {
	each := mapForEach
	if k == kindSet {
		each = setForEach
	}
	stop := r.VM.NewObject()
	callback := r.VM.ToValue(func(c goja.FunctionCall) goja.Value {
		if !fn(c.Argument(1), c.Argument(0)) {
			panic(stop)
		}
		return goja.Undefined()
	})
	if v := r.Try(func() { r.call(each, o, callback) }); v != nil && v != goja.Value(stop) {
		panic(v)
	}
}
