package appconfig

import (
	"strings"
	"testing"
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
