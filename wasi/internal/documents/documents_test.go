package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

var defaults = Options{Indent: 2, Attribute: "+@", Content: "+content"}

func read(t *testing.T, f Format, text string) any {
	t.Helper()
	docs, err := Read(f, []byte(text), &defaults)
	if err != nil || len(docs) != 1 {
		t.Fatalf("%s: %v, %v", text, docs, err)
	}
	return docs[0]
}

// Whatever is read can be written in the same format, and is the same when it is read again.
func TestRoundTrip(t *testing.T) {
	for f, texts := range map[Format][]string{
		YAML: {"a: 1\nb:\n  - x\n  - \"1\"\n", "- 2024-01-02\n- \"2024-01-02\"\n- |\n  two\n  lines\n- {}\n- []\n"},
		JSON: {"{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": \"\\u0001é\"\n}\n"},
		TOML: {"a = 1\nd = 1979-05-27\nt = 07:32:00\nw = 1979-05-27T07:32:00\nz = 1979-05-27T07:32:00Z\n\n[b]\nc = [1.5, \"x\"]\n"},
		XML:  {"<?xml version=\"1.0\"?>\n<r a=\"1 &lt; 2\">\n  <x:e>t &amp; u</x:e>\n  <x:e/>\n</r>\n"},
		INI:  {"a=1\nb=\" x \"\n\n[s]\nk=true\nl[]=1\nl[]=2\n\n[s.t]\nq=null\n"},
		CSV:  {"a,b\n1,\"x, y\"\n,true\n"}, TSV: {"a\tb\n1\tx\n"},
	} {
		for _, text := range texts {
			out, err := Write(f, read(t, f, text), &defaults)
			if err != nil || string(out) != text {
				t.Errorf("%s became %s, %v", text, out, err)
			}
		}
	}
}

// What would fill the memory or the stack is refused in time.
func TestBounds(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'n'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 9), ", ") + "]\n"
	}
	for _, c := range []struct {
		f    Format
		text string
		want error
	}{
		{YAML, bomb, ErrRoom}, {YAML, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), ErrDepth}, {YAML, "a: &a [*a]", ErrDepth},
		{JSON, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), ErrDepth}, {JSON, "[" + strings.Repeat("1,", 200_000) + "1]", ErrRoom},
		{XML, strings.Repeat("<a>", 5000) + strings.Repeat("</a>", 5000), ErrDepth}, {XML, "<a>" + strings.Repeat("<b/>", 50_000) + "</a>", ErrRoom},
		{INI, "[" + strings.Repeat("a.", 5000) + "]", ErrDepth}, {CSV, "a,b\n" + strings.Repeat("1,2\n", 50_000), ErrRoom},
		{TOML, "a = [" + strings.Repeat("1,", 200_000) + "]", ErrRoom},
	} {
		o := defaults
		o.Room = 2 << 20
		if _, err := Read(c.f, []byte(c.text), &o); !errors.Is(err, c.want) {
			t.Errorf("%s %.40q: %v, want %v", c.f, c.text, err, c.want)
		}
	}
}

func TestKeep(t *testing.T) {
	before := read(t, YAML, "{v: 1.0, d: 2024-01-02, big: 12345678901234567890, list: [1.50, x], gone: 1}")
	after := read(t, JSON, `{"new":1.0,"v":1,"d":"2024-01-02","big":12345678901234567000,"list":[1.5,"x",2.0]}`)
	out, err := Write(YAML, Keep(before, after), &defaults)
	if want := "new: 1.0\nv: 1.0\nd: 2024-01-02\nbig: 12345678901234567890\nlist:\n  - 1.50\n  - x\n  - 2.0\n"; err != nil || string(out) != want {
		t.Errorf("%s, %v", out, err)
	}
}

// FuzzRead reads anything in any format; what it reads can be written as JSON and YAML.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a: &x [1, *x]", "<a b='c'>d<e/></a>", "[a.b]\nc=1\nc[]=2", "a,b\n\"1\n", "a = 1\n[[b]]\nc = 1979-05-27", `{"a":[1,{"b":null}]}`, "<<: {a: 1}\nb: !!binary x", "? [a]\n: b", "---\n...\n---\n"} {
		for i := range byte(7) {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, text string) {
		format := []Format{YAML, JSON, TOML, XML, INI, CSV, TSV}[which%7]
		o := defaults
		o.Room = 4 << 20
		began := time.Now()
		docs, err := Read(format, []byte(text), &o)
		if err != nil {
			return
		}
		for _, v := range docs {
			data := AppendJSON(nil, v, 0)
			if !json.Valid(data) {
				t.Fatalf("%s %q is no JSON: %s", format, text, data)
			}
			out, err := Write(YAML, v, &o)
			if err != nil {
				t.Fatalf("%s %q: %v", format, text, err)
			}
			back, err := Read(YAML, out, &Options{Room: 1 << 30})
			if err != nil || len(back) != 1 || !bytes.Equal(AppendJSON(nil, back[0], 0), data) {
				t.Logf("%s %q: %s is read as another value, or not: %v", format, text, out, err)
			}
			for _, to := range []Format{TOML, XML, INI, CSV} {
				Write(to, v, &o) // an error or a text, no panic
			}
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s %q took %v", format, text, took)
		}
	})
}
