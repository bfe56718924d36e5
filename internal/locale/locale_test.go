package locale

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"en": "en", "EN-us": "en-US", "zh-hANT-tw": "zh-Hant-TW", "iw": "he", "de-1996": "de-1996", "sl-rozaj-biske": "sl-rozaj-biske", "es-419": "es-419",
		"de-u-nu-ARAB": "de-u-nu-arab", "de-u-kn-true": "de-u-kn", "en-x-private": "en-x-private", "de-a-bcd-u-nu-latn-x-u-nu": "de-a-bcd-u-nu-latn-x-u-nu",
		"": "", "a": "", "en-": "", "-en": "", "en--us": "", "de_DE": "", "abcdefghi": "", "abcd": "", "de-u": "", "de-x": "", "x-private": "", "i-klingon": "", "de-1996-1996": "",
		"de-u-nu-latn-u-nu-arab": "", "é": "", "\xff": "", "en\x00": "", strings.Repeat("x", 10000): "", "en" + strings.Repeat("-abcde", 5000): "",
	} {
		got, err := Parse(in)
		if got.String() != want || (err != nil) != (want == "") {
			t.Errorf("Parse(%.40q) = %q, %v; want %q", in, got.String(), err, want)
		}
	}
}

func TestKeyword(t *testing.T) {
	for _, c := range []struct {
		tag, key, want string
		ok             bool
	}{
		{"de-u-nu-arab", "nu", "arab", true}, {"de-u-kn-nu-arab", "kn", "", true}, {"de-u-co-a11-b22-nu-latn", "co", "a11-b22", true}, {"de-u-nu-arab", "ca", "", false},
		{"de-x-u-nu-arab", "nu", "", false}, {"de-a-nu-arab", "nu", "", false}, {"de", "nu", "", false}, {"de-u-nu-latn-a-foo", "nu", "latn", true},
	} {
		tag, err := Parse(c.tag)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := tag.Keyword(c.key); got != c.want || ok != c.ok {
			t.Errorf("%s, key %s: %q, %v", c.tag, c.key, got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"en", "de-u-nu-arab", "zh-Hant-TW-x-a", "a-b-c", "de-1996-u-co-phonebk"} {
		f.Add(s)
	}
	x, err := Open()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(tag.String())
		if err != nil || again != tag {
			t.Fatalf("%q is %q, and that %q, %v", s, tag, again, err)
		}
		tag.Keyword("nu")
		if name, data := x.Find(tag.Base()); name != "" && !strings.HasPrefix(tag.Base(), name) || (name == "") != (data == "") {
			t.Fatalf("%q has the data of %q, %q", s, name, data)
		}
	})
}

func TestFind(t *testing.T) {
	x := open(t)
	for base, want := range map[string]string{
		"de": "de de", "de-DE": "de-DE de", "de-LU": "de de", "de-AT": "de-AT de-AT", "en-US": "en-US en", "en-ZZ": "en en", "zh-Hant-TW": "zh-Hant-TW zh-TW", "zh-Hans-CN": "zh-Hans-CN zh", "zh-Hant-MY": "zh-Hant zh-TW",
		"no": "no nb", "pt-BR": "pt-BR pt", "pt-PT": "pt-PT pt-PT", "tlh": " ", "d": " ", "e": " ", "": " ",
	} {
		if name, data := x.Find(base); name+" "+data != want {
			t.Errorf("Find(%q) = %q, %q; want %s", base, name, data, want)
		}
	}
}

// TestSections reads every section of every locale.
func TestSections(t *testing.T) {
	x := open(t)
	n := 0
	for _, name := range strings.Fields(x.names) {
		if _, alias, ok := strings.Cut(name, "="); ok {
			name = alias
		}
		for _, section := range []string{"n", "u", "c", "d", "z", "r", "l"} {
			text, err := x.Section(name, section)
			if err != nil || !json.Valid(text) {
				t.Errorf("%s/%s: %v %.40s", name, section, err, text)
			}
			n++
		}
	}
	if n < 200 {
		t.Errorf("only %d sections", n)
	}
	if _, err := x.Section("tlh", "n"); err == nil {
		t.Error("a section of nobody's")
	}
}

func open(t *testing.T) *Index {
	t.Helper()
	x, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return x
}
