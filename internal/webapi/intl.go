package webapi

import (
	_ "embed"
	"sync"

	"github.com/dop251/goja"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/locale"
)

// Intl is written in JavaScript: the core, which puts it in place, and a part for each family of
// classes that runs when the first of them is used. What the parts know of a locale is in package locale.
var (
	//go:embed intl.js
	intlSource string
	//go:embed intl_number.js
	intlNumber string
	//go:embed intl_plural.js
	intlPlural string
	//go:embed intl_date.js
	intlDate string
	//go:embed intl_relative.js
	intlRelative string
	//go:embed intl_text.js
	intlText string
)

func intlCompiled(name, source string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return goja.MustCompile("samkit:"+name, source, true) })
}

var (
	intlProgram         = intlCompiled("intl", intlSource)
	intlNumberProgram   = intlCompiled("intl_number", intlNumber)
	intlPluralProgram   = intlCompiled("intl_plural", intlPlural)
	intlDateProgram     = intlCompiled("intl_date", intlDate)
	intlRelativeProgram = intlCompiled("intl_relative", intlRelative)
	intlTextProgram     = intlCompiled("intl_text", intlText)
)

func intlPart(name string) *goja.Program {
	switch name {
	case "number":
		return intlNumberProgram()
	case "plural":
		return intlPluralProgram()
	case "date":
		return intlDateProgram()
	case "relative":
		return intlRelativeProgram()
	}
	return intlTextProgram()
}

// completeIntl adds Intl, and the methods toLocaleString that build on it.
func (r *Realm) completeIntl() {
	v, err := r.VM.RunProgram(intlProgram())
	if err != nil {
		panic(err)
	}
	install, ok := goja.AssertFunction(v)
	if !ok {
		panic("webapi: intl.js is no function") // a constant program
	}
	r.Call(install, goja.Undefined(), r.intlNative())
}

// localeIndex is the index of the locales, read when it is first needed.
func (r *Realm) localeIndex() *locale.Index {
	if r.locales == nil {
		x, err := locale.Open()
		if err != nil {
			panic(err) // data of this program
		}
		r.locales = x
	}
	return r.locales
}

// intlNative is what the core and the parts call.
func (r *Realm) intlNative() *goja.Object {
	vm, o := r.VM, r.VM.NewObject()
	add := func(name string, length int, fn func(goja.FunctionCall) goja.Value) {
		jsrt.Data(o, name, r.Func(name, length, fn))
	}
	add("part", 1, func(c goja.FunctionCall) goja.Value {
		v, err := vm.RunProgram(intlPart(c.Argument(0).String()))
		if err != nil {
			panic(err)
		}
		return v
	})
	jsrt.Data(o, "zone", r.zoneFunc())
	add("canonical", 1, func(c goja.FunctionCall) goja.Value {
		t, err := locale.Parse(c.Argument(0).String())
		if err != nil {
			return goja.Undefined()
		}
		return vm.ToValue(t.String())
	})
	// find returns the names of a locale and of its data, or nothing.
	add("find", 1, func(c goja.FunctionCall) goja.Value {
		t, err := locale.Parse(c.Argument(0).String())
		if err != nil {
			return vm.NewArray()
		}
		name, data := r.localeIndex().Find(t.Base())
		if name == "" {
			return vm.NewArray()
		}
		return vm.NewArray(name, data)
	})
	add("keyword", 2, func(c goja.FunctionCall) goja.Value {
		if t, err := locale.Parse(c.Argument(0).String()); err == nil {
			if v, ok := t.Keyword(c.Argument(1).String()); ok {
				return vm.ToValue(v)
			}
		}
		return goja.Undefined()
	})
	add("section", 2, func(c goja.FunctionCall) goja.Value {
		text, err := r.localeIndex().Section(c.Argument(0).String(), c.Argument(1).String())
		if err != nil {
			panic(err) // data of this program
		}
		return vm.ToValue(string(text))
	})
	add("cased", 3, func(c goja.FunctionCall) goja.Value {
		return cased(vm, c.Argument(0).ToString().(goja.String), c.Argument(1).String(), c.Argument(2).ToBoolean())
	})
	add("collator", 5, func(c goja.FunctionCall) goja.Value {
		order := collation{c.Argument(0).String(), c.Argument(1).String(), c.Argument(2).ToBoolean(), c.Argument(3).ToBoolean(), c.Argument(4).ToBoolean()}
		compare := order.compare()
		return r.Func("", 2, func(c goja.FunctionCall) goja.Value {
			return vm.ToValue(compare(c.Argument(0).String(), c.Argument(1).String()))
		})
	})
	r.addSegments(add)
	return o
}

// cased is s in upper or in lower case by the rules of a language that has its own. What is no
// character, half of a surrogate pair, stays as it is.
func cased(vm *goja.Runtime, s goja.String, lang string, upper bool) goja.Value {
	caser := cases.Lower(language.Make(lang))
	if upper {
		caser = cases.Upper(language.Make(lang))
	}
	var b goja.StringBuilder
	from := 0
	flush := func(to int) {
		if from < to {
			b.WriteString(vm.ToValue(caser.String(s.Substring(from, to).String())).ToString().(goja.String))
		}
	}
	for i, n := 0, s.Length(); i < n; i++ {
		switch c := s.CharAt(i); {
		case c < 0xd800 || c > 0xdfff:
		case c < 0xdc00 && i+1 < n && s.CharAt(i+1)&0xfc00 == 0xdc00:
			i++
		default:
			flush(i)
			b.WriteSubstring(s, i, i+1)
			from = i + 1
		}
	}
	flush(s.Length())
	return b.String()
}
