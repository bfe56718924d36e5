package webapi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/locale"
)

// A collation says how Intl.Collator orders strings.
type collation struct {
	locale, sensitivity                    string
	numeric, upperFirst, ignorePunctuation bool
}

// compare returns the function that compares by it. It is for one goroutine.
func (o collation) compare() func(a, b string) int {
	name := o.locale
	switch {
	case strings.HasPrefix(name, "zh-"):
		name = "zh-Hant"
	case name == "nb":
		name = "da" // whose letters stand in the same order
	}
	var opts []collate.Option
	switch o.sensitivity {
	case "base":
		opts = append(opts, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		opts = append(opts, collate.IgnoreCase)
	case "case":
		opts = append(opts, collate.IgnoreDiacritics)
	}
	if o.numeric {
		opts = append(opts, collate.Numeric)
	}
	tag := language.Make(name)
	full := collate.New(tag, opts...)
	order := full.CompareString
	if o.upperFirst && o.sensitivity != "base" && o.sensitivity != "accent" {
		caseless := collate.New(tag, append(opts, collate.IgnoreCase)...)
		order = func(a, b string) int {
			if c := caseless.CompareString(a, b); c != 0 {
				return c
			}
			return -full.CompareString(a, b)
		}
	}
	first := scriptFirst(o.locale)
	return func(a, b string) int {
		if o.ignorePunctuation {
			a, b = without(a, unicode.P, unicode.Z), without(b, unicode.P, unicode.Z)
		}
		if o.sensitivity == "case" {
			a, b = without(norm.NFD.String(a), unicode.Mn), without(norm.NFD.String(b), unicode.Mn)
		}
		if first != nil {
			if c := byScript(a, b, first); c != 0 {
				return c
			}
		}
		return order(a, b)
	}
}

// without leaves out the characters of some categories.
func without(s string, of ...*unicode.RangeTable) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, of...) {
			return -1
		}
		return r
	}, s)
}

// scriptFirst is the script whose letters a language has before those of others, or nil.
func scriptFirst(locale string) *unicode.RangeTable {
	language, _, _ := strings.Cut(locale, "-")
	switch language {
	case "ru", "uk":
		return unicode.Cyrillic
	case "el":
		return unicode.Greek
	case "he":
		return unicode.Hebrew
	case "ar":
		return unicode.Arabic
	case "hi":
		return unicode.Devanagari
	case "th":
		return unicode.Thai
	case "ko":
		return unicode.Hangul
	}
	return nil
}

// byScript orders two texts where they first differ, if letters of two scripts stand there.
func byScript(a, b string, first *unicode.RangeTable) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			p, q := unicode.Is(first, x), unicode.Is(first, y)
			switch {
			case !unicode.IsLetter(x) || !unicode.IsLetter(y) || p == q:
				return 0
			case p:
				return -1
			}
			return 1
		}
		a, b = a[n:], b[m:]
	}
	return 0
}

// maxCollations bounds the orders that a realm keeps for localeCompare.
const maxCollations = 8

// completeLocaleCompare makes String.prototype.localeCompare heed locales and options, as ECMA-402
// has it. Without them it is goja's.
func (r *Realm) completeLocaleCompare() {
	proto, ok := r.proto("String").(*goja.Object)
	if !ok {
		return
	}
	own, ok := goja.AssertFunction(proto.Get("localeCompare"))
	if !ok {
		return
	}
	orders := map[collation]func(a, b string) int{}
	jsrt.Hide(proto, "localeCompare", r.Func("localeCompare", 1, func(c goja.FunctionCall) goja.Value {
		if goja.IsUndefined(c.Argument(1)) && goja.IsUndefined(c.Argument(2)) {
			return r.Call(own, c.This, c.Argument(0))
		}
		if !jsrt.Defined(c.This) {
			r.TypeError("String.prototype.localeCompare called on null or undefined")
		}
		a, b := c.This.String(), c.Argument(0).String()
		order := r.collationOf(c.Argument(1), c.Argument(2))
		compare, known := orders[order]
		if !known {
			if len(orders) >= maxCollations {
				clear(orders)
			}
			compare = order.compare()
			orders[order] = compare
		}
		return r.VM.ToValue(compare(a, b))
	}))
}

// collationOf reads the arguments locales and options.
func (r *Realm) collationOf(locales, options goja.Value) collation {
	o := collation{locale: "en", sensitivity: "variant"}
	var tag locale.Tag
	for _, t := range r.localeList(locales) {
		if _, data := r.localeIndex().Find(t.Base()); data != "" {
			o.locale, tag = data, t
			break
		}
	}
	if v, ok := tag.Keyword("kn"); ok {
		o.numeric = v != "false"
	}
	if v, ok := tag.Keyword("kf"); ok {
		o.upperFirst = v == "upper"
	}
	o.ignorePunctuation = o.locale == "th"
	if _, ok := tag.Keyword("kf"); !ok {
		o.upperFirst = o.locale == "da"
	}
	if goja.IsUndefined(options) {
		return o
	}
	from := options.ToObject(r.VM)
	option := func(name string, values ...string) (string, bool) {
		v := from.Get(name)
		if v == nil || goja.IsUndefined(v) {
			return "", false
		}
		s := v.String()
		for _, x := range values {
			if s == x {
				return s, true
			}
		}
		r.RangeError("Value %.50s out of range for Intl.Collator options property %s", s, name)
		return "", false
	}
	truth := func(name string, to *bool) {
		if v := from.Get(name); v != nil && !goja.IsUndefined(v) {
			*to = v.ToBoolean()
		}
	}
	option("usage", "sort", "search")
	truth("numeric", &o.numeric)
	if v, ok := option("caseFirst", "upper", "lower", "false"); ok {
		o.upperFirst = v == "upper"
	}
	if v, ok := option("sensitivity", "base", "accent", "case", "variant"); ok {
		o.sensitivity = v
	}
	truth("ignorePunctuation", &o.ignorePunctuation)
	return o
}

// localeList reads an argument locales: a tag, a Locale or an array of these.
func (r *Realm) localeList(v goja.Value) (tags []locale.Tag) {
	add := func(v goja.Value) {
		t, err := locale.Parse(v.String())
		if err != nil {
			r.RangeError("Incorrect locale information provided")
		}
		tags = append(tags, t)
	}
	if goja.IsUndefined(v) {
		return nil
	}
	list, isObject := v.(*goja.Object)
	if !isObject {
		if goja.IsNull(v) {
			r.TypeError("Cannot convert undefined or null to object")
		}
		if goja.IsString(v) {
			add(v)
		}
		return tags
	}
	if list.ClassName() != "Array" {
		add(list)
		return tags
	}
	const most = 100
	for i, n := 0, int(min(list.Get("length").ToInteger(), most)); i < n; i++ {
		if e := list.Get(r.VM.ToValue(i).String()); e != nil {
			add(e)
		}
	}
	return tags
}
