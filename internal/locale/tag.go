// Package locale knows languages and regions for ECMA-402: which of them there is data for,
// and the data, as it came from CLDR through ICU.
//
// A section of a locale's data is JSON, which is decompressed when it is asked for:
//
//	index, err := locale.Open()
//	tag, err := locale.Parse("de-at")
//	name, data := index.Find(tag.Base()) // "de-AT", "de-AT"
//	json, err := index.Section(data, "d")
//
// Nothing is kept but by the Index. Its methods and the functions may be called from many goroutines.
package locale

import (
	"errors"
	"strings"
)

// maxTag bounds the bytes of a tag that is taken in. ECMA-402 knows no bound.
const maxTag = 1 << 10

// ErrTag is why a text is no tag of a locale, as Unicode Technical Standard 35 words them.
var ErrTag = errors.New("incorrect locale information provided")

// A Tag is a canonical language tag, such as zh-Hant-TW-u-nu-latn.
type Tag struct {
	base string // without extensions
	rest string // the extensions, each after a hyphen
}

// Base is the tag without its extensions.
func (t Tag) Base() string { return t.base }

// String is the whole tag.
func (t Tag) String() string { return t.base + t.rest }

// Language is the first part of the tag, in lower case.
func (t Tag) Language() string {
	l, _, _ := strings.Cut(t.base, "-")
	return l
}

// Keyword returns the value of a key of the extension u: that of nu in th-u-nu-thai.
// It reports whether the key is there; a key alone has an empty value.
func (t Tag) Keyword(key string) (value string, ok bool) {
	words := strings.Split(t.rest, "-")
	in := false
	for i, w := range words {
		switch {
		case in && w == key:
			for _, v := range words[i+1:] {
				if len(v) < 3 {
					break
				}
				value += "-" + v
			}
			return strings.TrimPrefix(value, "-"), true
		case w == "x":
			return "", false
		case len(w) == 1:
			in = w == "u"
		}
	}
	return "", false
}

// Parse reads a tag. Case does not matter; underscores are not hyphens.
func Parse(s string) (Tag, error) {
	if len(s) > maxTag {
		return Tag{}, ErrTag
	}
	words := strings.Split(strings.ToLower(s), "-")
	for _, w := range words {
		if len(w) == 0 || len(w) > 8 || strings.ContainsFunc(w, func(r rune) bool { return !alnum(r) }) {
			return Tag{}, ErrTag
		}
	}
	base, n := parseBase(words)
	if n == 0 {
		return Tag{}, ErrTag
	}
	rest, ok := parseExtensions(words[n:])
	if !ok {
		return Tag{}, ErrTag
	}
	return Tag{base, rest}, nil
}

func alnum(r rune) bool { return r >= 'a' && r <= 'z' || digit(r) }
func digit(r rune) bool { return r >= '0' && r <= '9' }

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

func digits(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return !digit(r) }) }

// parseBase returns the canonical form of language, script, region and variants, and how many words
// they are, or none.
func parseBase(words []string) (string, int) {
	language := words[0]
	if !letters(language) || len(language) < 2 || len(language) == 4 {
		return "", 0
	}
	switch language { // of the aliases of CLDR those that are met
	case "iw":
		language = "he"
	case "in":
		language = "id"
	case "ji":
		language = "yi"
	case "mo":
		language = "ro"
	case "tl":
		language = "fil"
	case "cmn":
		language = "zh"
	}
	base, n := language, 1
	next := func() string {
		if n < len(words) {
			return words[n]
		}
		return ""
	}
	if w := next(); len(w) == 4 && letters(w) {
		base += "-" + strings.ToUpper(w[:1]) + w[1:]
		n++
	}
	if w := next(); len(w) == 2 && letters(w) || len(w) == 3 && digits(w) {
		base += "-" + strings.ToUpper(w)
		n++
	}
	for w := next(); len(w) > 4 || len(w) == 4 && digit(rune(w[0])); w = next() {
		if strings.Contains(base+"-", "-"+w+"-") {
			return "", 0
		}
		base += "-" + w
		n++
	}
	return base, n
}

// parseExtensions checks singletons and what follows each.
func parseExtensions(words []string) (string, bool) {
	if len(words) == 0 {
		return "", true
	}
	seen := ""
	for i := 0; i < len(words); {
		single := words[i]
		if len(single) != 1 || strings.Contains(seen, single) {
			return "", false
		}
		seen += single
		i++
		from := i
		for i < len(words) && (len(words[i]) > 1 || single == "x") {
			i++
		}
		if i == from {
			return "", false
		}
	}
	text := "-" + strings.Join(words, "-")
	return strings.ReplaceAll(text, "-true", ""), true
}
