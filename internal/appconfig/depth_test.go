package appconfig

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDepthOfTOML(t *testing.T) {
	for text, want := range map[string]bool{
		fullTOML: false,
		"a = [" + strings.Repeat(`'[[{', "]\"[", `, 100) + "]":                                        false,
		`a = """` + strings.Repeat("[", 99) + "\"\"\"\"\"\nb = '''" + strings.Repeat("{", 99) + "'''": false,
		"# " + strings.Repeat("[", 99) + "\na = 1.5":                                                  false,
		strings.Repeat("a.b = 1.5\n", 99):                                                             false,
		"a = \"]]]\"\nb = " + strings.Repeat("[']',", 40):                                             true,
		strings.Repeat(`a . "b".`, 40):                                                                true,
		strings.Repeat("[[", 40):                                                                      true,
	} {
		if got := tooDeep([]byte(text)) >= 0; got != want {
			t.Errorf("tooDeep(%.60q) = %v", text, got)
		}
	}
}

func TestDepthOfJSON(t *testing.T) {
	for text, want := range map[string]bool{
		fullJSONC: false,
		"[" + strings.Repeat(`"[[\"{", `, 100) + "1]":                                 false,
		"// " + strings.Repeat("[", 99) + "\n/* " + strings.Repeat("[", 99) + "*/ []": false,
		strings.Repeat(`["]",`, 40):                                                   true,
		strings.Repeat(`[/*]*/`, 40):                                                  true,
		strings.Repeat("[//]\n", 40):                                                  true,
	} {
		if got := tooDeepJSON([]byte(text)) >= 0; got != want {
			t.Errorf("tooDeepJSON(%.60q) = %v", text, got)
		}
	}
}

// Patterns are compared with every path, so there are as many as on Workers and no more.
func TestPatternsAreBounded(t *testing.T) {
	many := `"/a"` + strings.Repeat(`,"/a"`, 100)
	long := `"/` + strings.Repeat("*a", 60) + `"`
	for _, list := range []string{many, long} {
		for _, text := range []string{`{"serve":[` + list + `]}`, `{"functions":{"routes":[` + list + `]}}`} {
			_, err := Load(fstest.MapFS{"sam.json": {Data: []byte(text)}})
			var bad *Error
			if !errors.As(err, &bad) || !strings.Contains(bad.Text, "at most 100") {
				t.Errorf("%.40s: %v", text, err)
			}
		}
	}
}
