package webapi

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// completeGlobals is the function by which a bundle says, before its own code
// runs, what it uses of ECMAScript that goja lacks: __samkit_complete("WeakRef groupBy").
// So code that uses nothing of it pays nothing, and the built-ins are where
// and what the code expects them to be.
var completeGlobals = []global{function("__samkit_complete", 1, func(r *Realm, c goja.FunctionCall) goja.Value {
	for _, name := range strings.Fields(c.Argument(0).String()) {
		if complete, known := completions[name]; known {
			complete(r)
		}
	}
	return goja.Undefined()
})}

// completions are the names that a bundle may give. They do nothing to what is there already.
var completions = map[string]func(*Realm){
	"captureStackTrace":    (*Realm).completeErrors,
	"isWellFormed":         (*Realm).completeStrings,
	"WeakRef":              (*Realm).completeWeak,
	"FinalizationRegistry": (*Realm).completeWeak,
	"groupBy":              scripted("groupBy"),
	"fromAsync":            scripted("fromAsync"),
	"withResolvers":        scripted("promises"),
	"try":                  scripted("promises"),
	"escape":               (*Realm).completeEscape,
	"disposable":           scripted("disposable"),
	"upsert":               scripted("upsert"),
	"numbers":              scripted("numbers"),
	"typedFrom":            scripted("typedFrom"),
	"iterators":            scripted("iterators"),
	"transfer":             (*Realm).completeBuffers,
	"Intl":                 (*Realm).completeIntl,
	"localeCompare":        (*Realm).completeLocaleCompare,
	"Date":                 (*Realm).completeDate,
	"properties":           (*Realm).completeRegExp,
	"Proxy":                (*Realm).completeProxy,
}

// define defines a built-in method that is missing.
func (r *Realm) define(on goja.Value, name string, length int, fn func(goja.FunctionCall) goja.Value) {
	if o, ok := on.(*goja.Object); ok && o.Get(name) == nil {
		jsrt.Hide(o, name, r.Func(name, length, fn))
	}
}

func (r *Realm) proto(class string) goja.Value {
	o, ok := r.VM.Get(class).(*goja.Object)
	if !ok {
		return nil
	}
	return o.Get("prototype")
}

//go:embed complete.js
var completeSource string

// completeProgram gives an object with a function for each group of built-ins
// that are written in JavaScript, since they call back into it at every step.
var completeProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile("samkit:complete", completeSource, true) })

func scripted(group string) func(*Realm) {
	return func(r *Realm) {
		v, err := r.VM.RunProgram(completeProgram())
		if err != nil {
			panic(err)
		}
		install, ok := goja.AssertFunction(v.(*goja.Object).Get(group))
		if !ok {
			panic(fmt.Sprintf("webapi: no completion %q", group)) // a defect of this package
		}
		r.Call(install, goja.Undefined())
	}
}
