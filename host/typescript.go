package host

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeScript returns declarations of a binding for tsc --strict: interfaces
// named for the binding ("HOST"), the functions of c and its constants (see [Valuer]) in it, and HostError,
// what a call rejects with. The functions of a [*Capability] stand directly
// under the binding (env.CRM.lookup), those of another Caller under their
// capability (env.HOST.crm.lookup) if they have one. It panics if binding is no JavaScript
// identifier of ASCII letters, digits, _ and $.
func TypeScript(binding string, c Caller) string {
	if !identifier().MatchString(binding) {
		panic(fmt.Sprintf("host: binding name %q is no identifier", binding))
	}
	groups := group(c)
	w := tsWriter{prefix: binding}
	_, flat := c.(*Capability)
	if flat {
		var funcs []Func
		for _, g := range groups {
			funcs = append(funcs, g.funcs...)
		}
		w.face(binding, funcs)
	} else {
		w.index(binding, groups, c)
		for _, g := range groups {
			if g.name != "" {
				w.face(w.faceName(g), g.funcs)
			}
		}
	}
	w.line(0, "export interface HostError extends Error {")
	w.line(1, `readonly code: "internal" | "invalid" | "not_found" | "conflict" | "denied" | "exhausted" | "unavailable" | "timeout" | (string & {});`)
	w.line(1, "readonly hint?: string;")
	w.line(1, "readonly grant?: unknown;")
	w.line(1, "readonly details?: unknown;")
	w.line(1, "readonly retryable?: boolean;")
	w.line(0, "}")
	return w.b.String()
}

// A funcGroup is the functions of one version of a capability.
type funcGroup struct {
	name    string
	version int
	oldest  bool
	funcs   []Func
}

func group(c Caller) []*funcGroup {
	var groups []*funcGroup
	for f := range c.Funcs() {
		i := slices.IndexFunc(groups, func(g *funcGroup) bool { return g.name == f.Capability && g.version == f.Version })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &funcGroup{name: f.Capability, version: f.Version})
		}
		groups[i].funcs = append(groups[i].funcs, f)
	}
	for _, g := range groups {
		g.oldest = !slices.ContainsFunc(groups, func(o *funcGroup) bool { return o.name == g.name && o.version < g.version })
	}
	return groups
}

var (
	identifier    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`) })
	nonIdentifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_]+`) })
)

type tsWriter struct {
	b      strings.Builder
	prefix string
	after  []string // declarations owed: named types of recursive schemas
}

func (w *tsWriter) line(indent int, s string) {
	w.b.WriteString(strings.Repeat("  ", indent))
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *tsWriter) faceName(g *funcGroup) string {
	return fmt.Sprintf("%s_%s_%d", w.prefix, nonIdentifier().ReplaceAllString(g.name, "_"), g.version)
}

func (w *tsWriter) index(binding string, groups []*funcGroup, c Caller) {
	w.line(0, "export interface "+binding+" {")
	if v, ok := c.(Valuer); ok {
		values := v.Values()
		for _, name := range slices.Sorted(maps.Keys(values)) {
			w.line(1, "readonly "+propertyName(name)+": "+typeOfValue(values[name])+";")
		}
	}
	for _, g := range groups {
		if g.name == "" {
			w.methods(g.funcs)
			continue
		}
		if g.oldest {
			w.line(1, "readonly "+propertyName(g.name)+": "+w.faceName(g)+";")
		}
		w.line(1, "readonly "+strconv.Quote(g.name+"@"+strconv.Itoa(g.version))+": "+w.faceName(g)+";")
	}
	w.line(0, "}")
	w.line(0, "")
	w.rest()
}

// typeOfValue is the type of a constant. Of an object it is what can be relied on: its members may be
// others tomorrow, as the capabilities are.
func typeOfValue(data json.RawMessage) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return "unknown"
	}
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if data, err := json.Marshal(v[name]); err == nil {
				members = append(members, "readonly "+propertyName(name)+": "+typeOfValue(data)+";")
			}
		}
		return "{ " + strings.Join(append(members, "readonly [key: string]: unknown;"), " ") + " }"
	case []any:
		var elems []string
		for _, e := range v {
			if data, err := json.Marshal(e); err == nil {
				elems = append(elems, typeOfValue(data))
			}
		}
		return "ReadonlyArray<" + join(elems, " | ", "unknown") + ">"
	}
	return "unknown"
}

func (w *tsWriter) face(name string, funcs []Func) {
	w.line(0, "export interface "+name+" {")
	w.methods(funcs)
	w.line(0, "}")
	w.line(0, "")
	w.rest()
}

func (w *tsWriter) methods(funcs []Func) {
	for _, f := range funcs {
		if doc := comment(f.Doc); doc != "" {
			w.line(1, doc)
		}
		in := newTSType(f.Input, w.prefix+"_"+nonIdentifier().ReplaceAllString(f.Capability, "_")+"_"+strconv.Itoa(f.Version)+"_"+nonIdentifier().ReplaceAllString(f.Name, "_")+"_in")
		out := newTSType(f.Output, strings.TrimSuffix(in.prefix, "_in")+"_out")
		w.line(1, propertyName(f.Name)+"("+parameter(in, 1)+"): Promise<"+f.Streaming.of(out.text(1))+">;")
		w.after = append(w.after, in.decls()...)
		w.after = append(w.after, out.decls()...)
	}
}

// of is the type of a result that comes so, of pieces of a type.
func (s Streaming) of(piece string) string {
	switch s {
	case Bytes:
		return "ReadableStream<Uint8Array>"
	case Values:
		return "AsyncIterable<" + piece + ">"
	}
	return piece
}

// rest writes the types that the methods before refer to.
func (w *tsWriter) rest() {
	for _, d := range w.after {
		w.line(0, d)
	}
	w.after = nil
}

// parameter declares the argument, optional where {} or nothing will do.
func parameter(in *tsType, indent int) string {
	if in.optional() {
		return "args?: " + in.text(indent)
	}
	return "args: " + in.text(indent)
}

func comment(doc string) string {
	doc = strings.Join(strings.Fields(strings.ReplaceAll(doc, "*/", "* /")), " ")
	if doc == "" {
		return ""
	}
	return "/** " + doc + " */"
}

func propertyName(s string) string {
	if identifier().MatchString(s) {
		return s
	}
	data, _ := json.Marshal(s) // of a string: never fails
	return string(data)
}

// A tsType turns one JSON Schema into a type expression.
type tsType struct {
	root   *jsonschema.Schema
	prefix string          // of the names of the types in $defs
	used   map[string]bool // $defs referred to
	order  []string
	depth  int
}

func newTSType(data json.RawMessage, prefix string) *tsType {
	t := &tsType{root: new(jsonschema.Schema), prefix: prefix, used: map[string]bool{}}
	if len(data) > 0 && json.Unmarshal(data, t.root) != nil {
		t.root = new(jsonschema.Schema) // of a foreign Caller: unknown
	}
	return t
}

func (t *tsType) optional() bool {
	s := t.root
	for range 16 {
		if s == nil || s.Ref == "" {
			break
		}
		s = t.lookup(s.Ref)
	}
	return s != nil && len(s.Required) == 0 && len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 &&
		(s.Type == "" && s.Types == nil && s.Not == nil || s.Type == "object" || s.Type == "null" || slices.Contains(s.Types, "object"))
}

func (t *tsType) text(indent int) string { return t.expr(t.root, indent) }

// decls returns the named types that the expression refers to.
func (t *tsType) decls() []string {
	var out []string
	for i := 0; i < len(t.order); i++ { // grows while types refer to more
		name := t.order[i]
		out = append(out, "export type "+t.defName(name)+" = "+t.expr(t.lookup("#/$defs/"+name), 0)+";")
	}
	return out
}

func (t *tsType) defName(def string) string {
	return t.prefix + "_" + nonIdentifier().ReplaceAllString(def, "_")
}

func (t *tsType) lookup(ref string) *jsonschema.Schema {
	if ref == "#" {
		return t.root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return t.root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return t.root.Definitions[name]
	}
	return nil
}

func (t *tsType) expr(s *jsonschema.Schema, indent int) string {
	t.depth++
	defer func() { t.depth-- }()
	if s == nil || t.depth > MaxDepth {
		return "unknown"
	}
	switch {
	case s.Ref != "":
		name, ok := strings.CutPrefix(s.Ref, "#/$defs/")
		if !ok || t.root.Defs[name] == nil {
			return "unknown"
		}
		if !t.used[name] {
			t.used[name] = true
			t.order = append(t.order, name)
		}
		return t.defName(name)
	case s.Const != nil:
		return literal(*s.Const)
	case s.Enum != nil:
		var alternatives []string
		for _, v := range s.Enum {
			alternatives = append(alternatives, literal(v))
		}
		return join(alternatives, " | ", "never")
	case len(s.AnyOf) > 0:
		return t.all(s.AnyOf, " | ", indent)
	case len(s.OneOf) > 0:
		return t.all(s.OneOf, " | ", indent)
	case len(s.AllOf) > 0:
		return t.all(s.AllOf, " & ", indent)
	case s.Not != nil && s.Type == "" && s.Types == nil:
		return "never" // the schema false
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) == 0 && s.Properties != nil {
		types = []string{"object"}
	}
	if len(types) == 0 || len(types) >= 6 {
		return "unknown"
	}
	var alternatives []string
	for _, name := range types {
		alternatives = append(alternatives, t.simple(s, name, indent))
	}
	return join(alternatives, " | ", "never")
}

func (t *tsType) all(list []*jsonschema.Schema, sep string, indent int) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, "("+t.expr(s, indent)+")")
	}
	return join(parts, sep, "unknown")
}

func (t *tsType) simple(s *jsonschema.Schema, name string, indent int) string {
	switch name {
	case "string", "boolean", "null", "number":
		return name
	case "integer":
		return "number"
	case "array":
		if len(s.PrefixItems) > 0 {
			var parts []string
			for _, item := range s.PrefixItems {
				parts = append(parts, t.expr(item, indent))
			}
			return "[" + strings.Join(parts, ", ") + ", ...unknown[]]"
		}
		return "Array<" + t.expr(s.Items, indent) + ">"
	case "object":
		return t.object(s, indent)
	}
	return "unknown"
}

func (t *tsType) object(s *jsonschema.Schema, indent int) string {
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	if len(s.Properties) == 0 {
		if closed {
			return "Record<string, never>"
		}
		return "Record<string, " + t.expr(s.AdditionalProperties, indent) + ">"
	}
	var b strings.Builder
	b.WriteString("{\n")
	pad := strings.Repeat("  ", indent+1)
	for _, name := range propertyOrder(s) {
		p := s.Properties[name]
		if p != nil {
			if doc := comment(p.Description); doc != "" {
				b.WriteString(pad + doc + "\n")
			}
		}
		mark := "?"
		if slices.Contains(s.Required, name) {
			mark = ""
		}
		b.WriteString(pad + propertyName(name) + mark + ": " + t.expr(p, indent+1) + ";\n")
	}
	if !closed {
		b.WriteString(pad + "[key: string]: unknown;\n")
	}
	b.WriteString(strings.Repeat("  ", indent) + "}")
	return b.String()
}

// propertyOrder returns the names of s's properties: the required ones in the
// order in which they are listed, then the others by name.
func propertyOrder(s *jsonschema.Schema) []string {
	var names, rest []string
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

func literal(v any) string {
	switch v.(type) {
	case string, bool, nil, float64, json.Number:
		if data, err := json.Marshal(v); err == nil {
			return string(data)
		}
	}
	return "unknown"
}

func join(parts []string, sep, none string) string {
	if len(parts) == 0 {
		return none
	}
	var unique []string
	for _, p := range parts {
		if !slices.Contains(unique, p) {
			unique = append(unique, p)
		}
	}
	return strings.Join(unique, sep)
}
