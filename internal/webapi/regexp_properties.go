package webapi

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/dop251/goja"
)

// goja matches \p{…} as if it were an ordinary escape. So bundles with such
// patterns get a RegExp that writes the characters out.

//go:embed regexp_properties.js
var propertiesSource string

var propertiesProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("samkit:regexp", propertiesSource, true)
})

func (r *Realm) completeRegExp() {
	v, err := r.VM.RunProgram(propertiesProgram())
	if err != nil {
		panic(err)
	}
	install, ok := goja.AssertFunction(v)
	if !ok {
		panic("webapi: regexp_properties.js is no function") // a constant program
	}
	r.Call(install, goja.Undefined(), r.Func("expand", 1, func(c goja.FunctionCall) goja.Value {
		out, bad := expandProperties(c.Argument(0).String())
		if bad != "" {
			panic(r.NewError("SyntaxError", "Invalid regular expression: /"+c.Argument(0).String()+"/: Invalid property name "+bad))
		}
		return r.VM.ToValue(out)
	}))
}

// expandProperties writes out the property escapes of a pattern with the flag u.
// It returns the first one that there is not.
func expandProperties(pattern string) (out, bad string) {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\\' && i+1 < len(pattern):
			next := pattern[i+1]
			if (next == 'p' || next == 'P') && i+2 < len(pattern) && pattern[i+2] == '{' {
				name, _, ok := strings.Cut(pattern[i+3:], "}")
				set, known := propertySet(name)
				if !ok || !known {
					return "", name
				}
				if next == 'P' {
					set = set.complement()
				}
				set.write(&b, !class)
				i += 3 + len(name)
				continue
			}
			b.WriteByte(c)
			i++
			c = next
		}
		b.WriteByte(c)
	}
	if namedGroup.MatchString(pattern) {
		// goja's first engine forgets the groups of a match in text that is not ASCII;
		// a look-ahead makes it take its second.
		return "(?=)" + b.String(), ""
	}
	return b.String(), ""
}

var namedGroup = regexp.MustCompile(`\(\?<[^=!]`)

// A runeSet is ranges of code points, in order, that neither touch nor overlap.
type runeSet [][2]rune

// propertySet finds the characters of a property by ECMA-262, UnicodeMatchProperty.
func propertySet(name string) (runeSet, bool) {
	key, value, pair := strings.Cut(name, "=")
	if pair {
		switch key {
		case "General_Category", "gc":
			return categorySet(value)
		case "Script", "sc", "Script_Extensions", "scx":
			t := unicode.Scripts[value]
			return setOf(t), t != nil
		}
		return nil, false
	}
	if s, ok := categorySet(name); ok {
		return s, true
	}
	if s, ok := emojiSets[name]; ok {
		return s, true
	}
	if long, ok := shortProperties[name]; ok {
		name = long
	}
	p := unicode.Properties
	switch name {
	case "Any":
		return runeSet{{0, unicode.MaxRune}}, true
	case "ASCII":
		return runeSet{{0, 0x7f}}, true
	case "Assigned":
		return setOf(unicode.Cn).complement(), true
	case "Alphabetic":
		return setOf(unicode.L, unicode.Nl, p["Other_Alphabetic"]), true
	case "Lowercase":
		return setOf(unicode.Ll, p["Other_Lowercase"]), true
	case "Uppercase":
		return setOf(unicode.Lu, p["Other_Uppercase"]), true
	case "ID_Start", "XID_Start":
		return setOf(unicode.L, unicode.Nl, p["Other_ID_Start"]), true
	case "ID_Continue", "XID_Continue":
		return setOf(unicode.L, unicode.Nl, p["Other_ID_Start"], unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, p["Other_ID_Continue"]), true
	case "Math":
		return setOf(unicode.Sm, p["Other_Math"]), true
	}
	if strings.HasPrefix(name, "Other_") {
		return nil, false
	}
	t := p[name]
	return setOf(t), t != nil
}

var shortProperties = map[string]string{
	"Alpha": "Alphabetic", "Lower": "Lowercase", "Upper": "Uppercase", "space": "White_Space", "IDS": "ID_Start", "IDC": "ID_Continue",
	"XIDS": "XID_Start", "XIDC": "XID_Continue", "AHex": "ASCII_Hex_Digit", "Hex": "Hex_Digit", "Ideo": "Ideographic", "RI": "Regional_Indicator",
	"Dia": "Diacritic", "Ext": "Extender", "NChar": "Noncharacter_Code_Point", "Pat_Syn": "Pattern_Syntax", "Pat_WS": "Pattern_White_Space",
	"QMark": "Quotation_Mark", "STerm": "Sentence_Terminal", "Term": "Terminal_Punctuation", "UIdeo": "Unified_Ideograph", "VS": "Variation_Selector",
}

func categorySet(name string) (runeSet, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	t := unicode.Categories[name]
	return setOf(t), t != nil
}

func setOf(tables ...*unicode.RangeTable) runeSet {
	var s runeSet
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			s = append(s, [2]rune{lo, hi})
			return
		}
		for c := lo; c <= hi; c += stride {
			s = append(s, [2]rune{c, c})
		}
	}
	for _, t := range tables {
		if t == nil {
			continue
		}
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	slices.SortFunc(s, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	merged := s[:0]
	for _, r := range s {
		if n := len(merged); n > 0 && r[0] <= merged[n-1][1]+1 {
			merged[n-1][1] = max(merged[n-1][1], r[1])
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

func (s runeSet) complement() runeSet {
	var out runeSet
	next := rune(0)
	for _, r := range s {
		if r[0] > next {
			out = append(out, [2]rune{next, r[0] - 1})
		}
		next = r[1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, [2]rune{next, unicode.MaxRune})
	}
	return out
}

// write writes the ranges as they stand in a class, and a class around them if
// they are not in one.
func (s runeSet) write(b *strings.Builder, class bool) {
	if class {
		b.WriteByte('[')
		defer b.WriteByte(']')
	}
	point := func(c rune) {
		b.WriteString(`\u{`)
		b.WriteString(strconv.FormatInt(int64(c), 16))
		b.WriteByte('}')
	}
	for _, r := range s {
		point(r[0])
		if r[1] > r[0] {
			b.WriteByte('-')
			point(r[1])
		}
	}
}
