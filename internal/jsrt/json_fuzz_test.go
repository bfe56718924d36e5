package jsrt

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// FuzzJSON compares the parser and the writer with goja's own, where those are right, and with each other.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonTexts {
		if len(text) < 2000 {
			f.Add(text)
		}
	}
	plain := goja.New()
	parse, _ := goja.AssertFunction(plain.Get("JSON").(*goja.Object).Get("parse"))
	stringify, _ := goja.AssertFunction(plain.Get("JSON").(*goja.Object).Get("stringify"))
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "?")
		}
		rt := newJSON()
		rt.VM.SetMaxCallStackSize(MaxDepth)
		var v goja.Value
		thrown := rt.Try(func() { v = rt.ParseJSON(text) })
		if valid := json.Valid([]byte(text)); valid != (thrown == nil) && strings.Count(text, "[")+strings.Count(text, "{") < maxJSONDepth {
			t.Fatalf("%q: valid %v, thrown %v", text, valid, thrown)
		}
		if thrown != nil {
			if thrown.(*goja.Object).Get("message").String() == "" {
				t.Fatal("no message")
			}
			return
		}
		data, ok := rt.JSON(v)
		if !ok || !json.Valid(data) {
			t.Fatalf("%q: written as %q", text, data)
		}
		again, _ := rt.JSON(rt.ParseJSON(string(data)))
		if string(again) != string(data) {
			t.Fatalf("%q: written as %q, then as %q", text, data, again)
		}
		loud := string(data)
		for _, indented := range []string{" ", "\t"} {
			rt.VM.Set("v", v)
			s, err := rt.VM.RunString(`JSON.stringify(JSON.parse(JSON.stringify(v, null, "` + indented + `"), (k, v) => v))`)
			if err != nil || s.String() != loud {
				t.Fatalf("%q: %v, indented and back %q", text, err, s)
			}
		}
		if strings.Contains(text, `\u`) || strings.Contains(loud, `\ud`) {
			return // goja replaces surrogates
		}
		own, err := parse(nil, plain.ToValue(text))
		if err != nil { // a number out of range, more depth
			return
		}
		if s, err := stringify(nil, own); err != nil || s.String() != loud {
			t.Fatalf("%q: %s, goja %v %v", text, loud, s, err)
		}
	})
}
