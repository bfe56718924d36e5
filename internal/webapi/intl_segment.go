package webapi

import (
	"unicode"

	"github.com/dop251/goja"

	"samkit.dev/internal/esregexp"
)

// A segmenter finds where the graphemes, words and sentences of a text end, by Unicode Standard Annex 29.
// Words of Chinese, Japanese and Thai need dictionaries, which it lacks.
type segmenter struct{ text goja.String }

// at returns the character at i and how many code units it has.
func (s segmenter) at(i int) (rune, int) {
	if i >= s.text.Length() {
		return -1, 0
	}
	c := s.text.CharAt(i)
	if c >= 0xd800 && c < 0xdc00 && i+1 < s.text.Length() {
		if d := s.text.CharAt(i + 1); d >= 0xdc00 && d < 0xe000 {
			return 0x10000 + (rune(c)-0xd800)<<10 + rune(d) - 0xdc00, 2
		}
	}
	return rune(c), 1
}

// boundary returns the end of the segment that begins at i.
func (s segmenter) boundary(kind string, i int) int {
	switch kind {
	case "word":
		return s.word(i)
	case "sentence":
		return s.sentence(i)
	}
	return s.grapheme(i)
}

// extends reports whether r belongs to the grapheme before it: Extend, SpacingMark and ZWJ.
func extends(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x200c || r == 0x200d || r == 0xe33 || r == 0xeb3 || r == 0xff9e || r == 0xff9f:
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f:
		return true
	case r == 0x102b || r == 0x102c || r == 0x1038 || r >= 0x1062 && r <= 0x1064 || r >= 0x1067 && r <= 0x106d:
		return false
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc)
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// control reports whether graphemes break before and after r.
func control(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xad || r == 0x2028 || r == 0x2029 || r > 0xff && unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d && !prepends(r) && !(r >= 0xe0020 && r <= 0xe007f)
}

func prepends(r rune) bool {
	return r >= 0x600 && r <= 0x605 || r == 0x6dd || r == 0x70f || r == 0x890 || r == 0x891 || r == 0x8e2 || r == 0x110bd || r == 0x110cd
}

// hangul returns the letter that says what kind of jamo or syllable r is: L, V, T, v for LV, t for LVT.
func hangul(r rune) byte {
	switch {
	case r >= 0x1100 && r <= 0x115f || r >= 0xa960 && r <= 0xa97c:
		return 'L'
	case r >= 0x1160 && r <= 0x11a7 || r >= 0xd7b0 && r <= 0xd7c6:
		return 'V'
	case r >= 0x11a8 && r <= 0x11ff || r >= 0xd7cb && r <= 0xd7fb:
		return 'T'
	case r >= 0xac00 && r <= 0xd7a3 && (r-0xac00)%28 == 0:
		return 'v'
	case r >= 0xac00 && r <= 0xd7a3:
		return 't'
	}
	return 0
}

func syllable(a, b byte) bool {
	switch a {
	case 'L':
		return b == 'L' || b == 'V' || b == 'v' || b == 't'
	case 'v', 'V':
		return b == 'V' || b == 'T'
	case 't', 'T':
		return b == 'T'
	}
	return false
}

// A virama joins consonants of the scripts of India: rule GB9c.
func virama(r rune) bool {
	return r == 0x94d || r == 0x9cd || r == 0xacd || r == 0xb4d || r == 0xc4d || r == 0xd4d
}

func indicConsonant(r rune) bool {
	switch {
	case r >= 0x915 && r <= 0x939, r >= 0x958 && r <= 0x95f, r >= 0x978 && r <= 0x97f:
		return true
	case r >= 0x995 && r <= 0x9b9, r >= 0x9dc && r <= 0x9df, r == 0x9f0, r == 0x9f1, r >= 0xa95 && r <= 0xab9, r == 0xaf9:
		return true
	case r >= 0xb15 && r <= 0xb39, r >= 0xb5c && r <= 0xb5f, r == 0xb71, r >= 0xc15 && r <= 0xc39, r >= 0xc58 && r <= 0xc5a, r >= 0xd15 && r <= 0xd3a:
		return true
	}
	return false
}

func (s segmenter) grapheme(i int) int {
	r, n := s.at(i)
	i += n
	if r == '\r' {
		if next, n := s.at(i); next == '\n' {
			return i + n
		}
	}
	if control(r) {
		return i
	}
	flag, picture, consonant, linked, zwj := regional(r), r >= 0xa9 && esregexp.Pictographic(r), indicConsonant(r), false, false
	for {
		next, n := s.at(i)
		if n == 0 || control(next) {
			return i
		}
		switch {
		case extends(next):
			linked = consonant && (linked || virama(next))
			zwj = picture && next == 0x200d
			i += n
			r = next
			flag = false
			continue
		case prepends(r), syllable(hangul(r), hangul(next)):
		case flag && regional(next):
			flag = false
			r, i = 0, i+n
			continue
		case zwj && esregexp.Pictographic(next):
		case linked && indicConsonant(next):
		default:
			return i
		}
		r, i = next, i+n
		flag, picture, consonant, linked, zwj = regional(r), r >= 0xa9 && esregexp.Pictographic(r), indicConsonant(r), false, false
	}
}

// wordLetter reports whether r joins others like it to a word. Ideographs and Hiragana stand alone.
func wordLetter(r rune) bool {
	return r == '_' || r == 0x202f || unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana) || unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Pc, r)
}

// joins reports whether r between a and b keeps a word together.
func joins(a, r, b rune) bool {
	letters, digits := unicode.IsLetter(a) && unicode.IsLetter(b) && wordLetter(b), unicode.Is(unicode.Nd, a) && unicode.Is(unicode.Nd, b)
	switch r {
	case '\'', '.', 0x2018, 0x2019, 0x2024, 0xfe52, 0xff07, 0xff0e:
		return letters || digits
	case 0xb7, 0x387, 0x55f, 0x5f4, 0x2027, 0xfe13, 0xfe55:
		return letters
	case ',', ';', 0x37e, 0x589, 0x60c, 0x60d, 0x66c, 0x7f8, 0x2044, 0xfe10, 0xfe14, 0xfe50, 0xfe54, 0xff0c, 0xff1b:
		return digits
	}
	return false
}

func (s segmenter) word(i int) int {
	start := i
	r, n := s.at(i)
	if unicode.Is(unicode.Zs, r) && r != 0xa0 && r != 0x2007 && r != 0x202f {
		for ; unicode.Is(unicode.Zs, r) && n > 0; r, n = s.at(i) {
			i += n
		}
		return i
	}
	if !wordLetter(r) {
		return s.grapheme(start)
	}
	last := r
	for i += n; ; {
		r, n = s.at(i)
		switch {
		case n == 0:
			return i
		case extends(r) || unicode.Is(unicode.Cf, r) && r != 0x200b:
			i += n
			continue
		case wordLetter(r) && !(unicode.Is(unicode.Katakana, r) != unicode.Is(unicode.Katakana, last) && unicode.IsLetter(last) && unicode.IsLetter(r) && r != 0x30fc):
			last = r
			i += n
			continue
		}
		after, m := s.at(i + n)
		if m == 0 || !joins(last, r, after) {
			return i
		}
		last = after
		i += n + m
	}
}

func wordLike(s goja.String) bool {
	g := segmenter{s}
	for i := 0; ; {
		r, n := g.at(i)
		if n == 0 {
			return false
		}
		if unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) {
			return true
		}
		i += n
	}
}

func closes(r rune) bool {
	return r == '"' || r == '\'' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi, unicode.Ps)
}

func ends(r rune) bool {
	switch r {
	case '!', '?', 0x589, 0x61f, 0x6d4, 0x964, 0x965, 0x203c, 0x203d, 0x2047, 0x2048, 0x2049, 0x3002, 0xff01, 0xff1f, 0xff61:
		return true
	}
	return false
}

func (s segmenter) sentence(i int) int {
	before := rune(-1)
	for {
		r, n := s.at(i)
		if n == 0 {
			return i
		}
		i += n
		switch {
		case r == '\r':
			if next, n := s.at(i); next == '\n' {
				i += n
			}
			return i
		case r == '\n' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return i
		case r == '.' || r == 0x2024 || r == 0xff0e || ends(r):
			if end, ok := s.afterStop(i, r, before); ok {
				return end
			}
		}
		before = r
	}
}

// afterStop returns where the sentence ends whose stop is before i, unless it goes on.
func (s segmenter) afterStop(i int, stop, before rune) (int, bool) {
	full := !ends(stop)
	r, n := s.at(i)
	for n > 0 && (r == '.' || ends(r)) {
		full = full && !ends(r)
		i += n
		r, n = s.at(i)
	}
	if full && (unicode.Is(unicode.Nd, r) || unicode.IsUpper(before) && unicode.IsUpper(r)) {
		return 0, false
	}
	for n > 0 && closes(r) {
		i += n
		r, n = s.at(i)
	}

	for n > 0 && unicode.IsSpace(r) && r != '\n' && r != '\r' && r != 0x85 && r != 0x2028 && r != 0x2029 {

		i += n
		r, n = s.at(i)
	}
	if r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 {
		i += n
		if next, m := s.at(i); r == '\r' && next == '\n' {
			i += m
		}
		return i, true
	}
	if r == ',' || r == ':' || r == ';' || r == '-' || r == 0x2013 || r == 0x2014 || r == 0x3001 {
		return 0, false
	}
	if !full {
		return i, true
	}
	const ahead = 100
	for j := i; j < i+ahead; { // a full stop ends nothing where a small letter comes next
		next, m := s.at(j)
		if m == 0 || unicode.IsUpper(next) || unicode.Is(unicode.Lo, next) || next == '.' || ends(next) || next == '\n' || next == '\r' {
			break
		}
		if unicode.IsLower(next) {
			return 0, false
		}
		j += m
	}

	return i, true
}

// addSegments adds what Intl.Segmenter calls.
func (r *Realm) addSegments(add func(string, int, func(goja.FunctionCall) goja.Value)) {
	add("boundary", 3, func(c goja.FunctionCall) goja.Value {
		s := segmenter{c.Argument(0).ToString().(goja.String)}
		return r.VM.ToValue(s.boundary(c.Argument(1).String(), int(c.Argument(2).ToInteger())))
	})
	// containing returns where the segment begins that holds the code unit at an index.
	add("containing", 3, func(c goja.FunctionCall) goja.Value {
		s, kind, index := segmenter{c.Argument(0).ToString().(goja.String)}, c.Argument(1).String(), int(c.Argument(2).ToInteger())
		for i := 0; ; {
			end := s.boundary(kind, i)
			if end > index || end <= i {
				return r.VM.ToValue(i)
			}
			i = end
		}
	})
	add("wordLike", 1, func(c goja.FunctionCall) goja.Value {
		return r.VM.ToValue(wordLike(c.Argument(0).ToString().(goja.String)))
	})
}
