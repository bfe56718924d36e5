package esregexp

import (
	"slices"
	"strings"
	"unicode"
)

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
			if long, ok := shortScripts[value]; ok {
				value = long
			}
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
	case "Cased":
		return setOf(unicode.Ll, unicode.Lu, unicode.Lt, p["Other_Lowercase"], p["Other_Uppercase"]), true
	case "Grapheme_Extend", "Gr_Ext":
		return setOf(unicode.Me, unicode.Mn, p["Other_Grapheme_Extend"]), true
	case "Grapheme_Base", "Gr_Base":
		return setOf(unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co, unicode.Cn, unicode.Zl, unicode.Zp, unicode.Me, unicode.Mn, p["Other_Grapheme_Extend"]).complement(), true
	case "Default_Ignorable_Code_Point", "DI":
		return setOf(p["Other_Default_Ignorable_Code_Point"], unicode.Cf, p["Variation_Selector"]).minus(
			runeSet{{0x600, 0x605}, {0x6dd, 0x6dd}, {0x70f, 0x70f}, {0x890, 0x891}, {0x8e2, 0x8e2}, {0xfff9, 0xfffb}, {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}}), true
	case "Math":
		return setOf(unicode.Sm, p["Other_Math"]), true
	}
	if strings.HasPrefix(name, "Other_") {
		return nil, false
	}
	t := p[name]
	return setOf(t), t != nil
}

// shortScripts are the codes of ISO 15924 that are in use.
var shortScripts = map[string]string{
	"Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Bopo": "Bopomofo", "Brai": "Braille", "Cans": "Canadian_Aboriginal", "Cher": "Cherokee",
	"Copt": "Coptic", "Qaac": "Coptic", "Cyrl": "Cyrillic", "Deva": "Devanagari", "Egyp": "Egyptian_Hieroglyphs", "Ethi": "Ethiopic", "Geor": "Georgian",
	"Goth": "Gothic", "Grek": "Greek", "Gujr": "Gujarati", "Guru": "Gurmukhi", "Hang": "Hangul", "Hani": "Han", "Hebr": "Hebrew", "Hira": "Hiragana",
	"Kana": "Katakana", "Khmr": "Khmer", "Knda": "Kannada", "Laoo": "Lao", "Latn": "Latin", "Mlym": "Malayalam", "Mong": "Mongolian", "Mymr": "Myanmar",
	"Nkoo": "Nko", "Ogam": "Ogham", "Orya": "Oriya", "Runr": "Runic", "Sinh": "Sinhala", "Syrc": "Syriac", "Taml": "Tamil", "Telu": "Telugu", "Tfng": "Tifinagh",
	"Thaa": "Thaana", "Tibt": "Tibetan", "Yiii": "Yi", "Zinh": "Inherited", "Qaai": "Inherited", "Zyyy": "Common",
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
