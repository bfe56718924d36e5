package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type node struct {
	Kids []*node `json:"kids"`
}

type untagged struct {
	Name string
}

func fn[In, Out any](context.Context, In) (out Out, err error) { return }

func TestRegistrationPanics(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*Capability)
		want string
	}{
		{"duplicate", func(c *Capability) { Register(c, "f", "", fn[int, int]); Register(c, "f", "", fn[int, int]) }, "registered twice"},
		{"name", func(c *Capability) { Register(c, "a-b", "", fn[int, int]) }, "does not fit"},
		{"empty name", func(c *Capability) { Register(c, "", "", fn[int, int]) }, "does not fit"},
		{"thenable", func(c *Capability) { Register(c, "then", "", fn[int, int]) }, "does not fit"},
		{"channel", func(c *Capability) { Register(c, "f", "", fn[chan int, int]) }, "chan"},
		{"function", func(c *Capability) { Register(c, "f", "", fn[int, func()]) }, "func"},
		{"complex", func(c *Capability) { Register(c, "f", "", fn[int, []complex128]) }, "complex"},
		{"map key", func(c *Capability) { Register(c, "f", "", fn[map[int]int, int]) }, "map key"},
		{"recursive", func(c *Capability) { Register(c, "f", "", fn[node, int]) }, "Capability.Add"},
		{"untagged", func(c *Capability) { Register(c, "f", "", fn[untagged, int]) }, "untagged.Name has no json name"},
		{"untagged result", func(c *Capability) { Register(c, "f", "", fn[int, []untagged]) }, "no json name"},
		{"omitempty alone", func(c *Capability) {
			Register(c, "f", "", fn[struct {
				A int `json:",omitempty"`
			}, int])
		}, "no json name"},
		{"string option", func(c *Capability) {
			Register(c, "f", "", fn[struct {
				A int `json:"a,string"`
			}, int])
		}, `"string" is not supported`},
		{"interface to decode", func(c *Capability) { Register(c, "f", "", fn[io.Reader, int]) }, "cannot decode"},
		{"embedded non-struct", func(c *Capability) { Register(c, "f", "", fn[struct{ io.Reader }, int]) }, "no struct"},
		{"bad schema", func(c *Capability) { c.Add(Func{Name: "f", Input: json.RawMessage(`{"type":5}`)}, echoRaw) }, "input"},
		{"remote schema", func(c *Capability) {
			c.Add(Func{Name: "f", Input: json.RawMessage(`{"$ref":"https://example.com/x"}`)}, echoRaw)
		}, "input"},
		{"nothing to call", func(c *Capability) { c.Add(Func{Name: "f"}, nil) }, "nothing to call"},
		{"after first use", func(c *Capability) { c.Funcs(); Register(c, "f", "", fn[int, int]) }, "first used"},
		{"define twice", func(c *Capability) { c.set.Define("c", 1) }, "defined twice"},
		{"define upper case", func(c *Capability) { c.set.Define("Crm", 1) }, "lower-case"},
		{"define reserved", func(c *Capability) { c.set.Define("describe", 1) }, "reserved"},
		{"define version 0", func(c *Capability) { c.set.Define("d", 0) }, "below 1"},
		{"binding", func(c *Capability) { TypeScript("a b", c) }, "no identifier"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if msg, _ := recover().(string); !strings.Contains(msg, tt.want) {
					t.Errorf("panic %q; want %q", msg, tt.want)
				}
			}()
			tt.do(New().Define("c", 1))
			t.Error("no panic")
		})
	}
}

func echoRaw(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil }

func TestTwoFieldsOfOneName(t *testing.T) {
	// Built at run time: go vet refuses it in source.
	field := func(name string) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: `json:"a"`}
	}
	_, err := inferSchema(reflect.StructOf([]reflect.StructField{field("A"), field("B")}), true)
	if err == nil || !strings.Contains(err.Error(), "two fields") {
		t.Errorf("got %v", err)
	}
}

func TestOptionsCannotRename(t *testing.T) {
	c := New().Define("c", 1)
	Register(c, "f", "doc", fn[int, int], func(f *Func) { f.Name, f.Capability, f.Reads = "g", "x", true })
	for f := range c.Funcs() {
		if f.Name != "f" || f.Capability != "c" || !f.Reads || f.Doc != "doc" {
			t.Errorf("Func = %+v", f)
		}
	}
}

func TestSchemas(t *testing.T) {
	caps := echoCaps()
	for f := range caps.Funcs() {
		var s struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		}
		if err := json.Unmarshal(f.Input, &s); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"bytes": "contentEncoding:base64", "id": "pattern:", "wait": "pattern:",
			"n": "map[type:integer]", "when": "format:date-time", "raw": "string array object",
		} {
			if got := fmt.Sprint(s.Properties[name]); !strings.Contains(got, want) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if len(s.Required) != 1 || s.Required[0] != "x" {
			t.Errorf("required: %q", s.Required)
		}
	}
}

func TestDescriptionsOfForeignCallers(t *testing.T) {
	c := New().Define("c", 1)
	schema := `{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"array","prefixItems":[{"type":"number"}]},{"$ref":"#/$defs/n-1"},{"const":3},{"type":"object","properties":{"a-b":true,"__proto__":false}}],
		"$defs":{"n-1":{"type":"object","properties":{"kid":{"$ref":"#/$defs/n-1"}},"additionalProperties":false}}}`
	c.Add(Func{Name: "f", Doc: "Ends */ early.\nNext line.", Input: json.RawMessage(schema), Output: json.RawMessage(schema)}, echoRaw)
	ts := TypeScript("X", c)
	for _, want := range []string{`"a" | "b"`, "X_c_1_f_in_n_1", "export type X_c_1_f_out_n_1 = {", "[number, ...unknown[]]", `"a-b"?: unknown;`, "Ends * / early. Next line."} {
		if !strings.Contains(ts, want) {
			t.Errorf("TypeScript lacks %q:\n%s", want, ts)
		}
	}
	if md := Markdown(c); !strings.Contains(md, "## f\n") || !strings.Contains(md, "type f_in_n_1 = {") {
		t.Errorf("Markdown:\n%s", md)
	}
}

// A caller with functions that belong to no capability.
type top struct{ *Capabilities }

func (t top) Funcs() iter.Seq[Func] {
	return func(yield func(Func) bool) {
		for f := range t.Capabilities.Funcs() {
			if !yield(f) {
				return
			}
		}
		yield(Func{Name: "close", Doc: "Ends it."})
	}
}

func TestFunctionsWithoutACapability(t *testing.T) {
	caps := New()
	Register(caps.Define("crm", 1), "lookup", "Finds.", func(context.Context, struct{}) (string, error) { return "", nil })
	ts := TypeScript("TOOL", top{caps})
	index, _, _ := strings.Cut(ts, "}")
	if !strings.Contains(index, "close(args?: unknown): Promise<unknown>;") || !strings.Contains(index, "readonly crm: TOOL_crm_1;") || strings.Contains(ts, `"@0"`) {
		t.Errorf("declarations\n%s", ts)
	}
	if md := Markdown(top{caps}); !strings.Contains(md, "## close") {
		t.Errorf("manual\n%s", md)
	}
}

// The codes are the same in Go, in the table of the package's documentation and in TypeScript.
func TestCodesAreTheSameEverywhere(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "//	code ")
	table, _, _ = strings.Cut(table, "# Versions")
	var documented []string
	for line := range strings.SplitSeq(table, "\n") {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "//" {
			documented = append(documented, f[1])
		}
	}
	var declared []string
	ts := TypeScript("HOST", New())
	_, union, _ := strings.Cut(ts, "readonly code: ")
	union, _, _ = strings.Cut(union, " | (string")
	for part := range strings.SplitSeq(union, " | ") {
		declared = append(declared, strings.Trim(part, `"`))
	}
	codes := []string{string(Internal), string(Invalid), string(NotFound), string(Conflict), string(Denied), string(Exhausted), string(Unavailable), string(Timeout)}
	for _, list := range [][]string{documented, declared} {
		slices.Sort(list)
	}
	slices.Sort(codes)
	if !slices.Equal(documented, codes) || !slices.Equal(declared, codes) {
		t.Errorf("in Go %q, documented %q, in TypeScript %q", codes, documented, declared)
	}
}
