// Package bundle turns the source of an app into JavaScript that runs: the
// functions.js of a project with all it imports into one script, a single
// .tsx file into a module for the browser. It is the only door to esbuild.
//
// Source is hostile. It is read from the project's fs.FS alone, bounded in
// size and nesting (esbuild is recursive, and Go cannot recover from the end
// of a stack), and what is wrong with it comes back as an [*Error].
package bundle

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"
)

// Limits of what is bundled.
const (
	MaxFile   = 8 << 20  // bytes of a source file
	MaxInput  = 48 << 20 // bytes of all source files together
	MaxFiles  = 10_000   // source files
	MaxOutput = 32 << 20 // bytes of the code, and of the map
)

// An Output is bundled or transformed source.
type Output struct {
	Code []byte
	Map  []byte // source map, version 3, without the source; nil where none was asked for

	// Inputs are the files of the project that were read, sorted: source,
	// package.json and tsconfig.json.
	Inputs []string

	// Wasm are the WebAssembly modules that Code imports. It names them by their hash.
	Wasm []WasmModule

	// Needs is what the runtime has to add for a script before it runs, as its
	// __samkit_complete takes it. The code of functions asks for it by itself.
	Needs string

	// Hash is the SHA-256 of Code in hex: equal hashes mean equal code.
	Hash string

	Warnings []Diagnostic
}

// An Error is source that cannot be bundled.
type Error struct {
	Diagnostics []Diagnostic // at least one
}

// Error returns the first diagnostic and how many more there are.
func (e *Error) Error() string {
	if len(e.Diagnostics) == 0 {
		return "bundle: failed"
	}
	s := e.Diagnostics[0].String()
	if n := len(e.Diagnostics) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// A Diagnostic is a remark on a place in the source.
type Diagnostic struct {
	File     string `json:"file,omitempty"`     // project path; "" if the remark is on no file
	Line     int    `json:"line,omitempty"`     // from 1; 0 if unknown
	Column   int    `json:"column,omitempty"`   // from 1, in UTF-16 units as editors and browsers count
	Text     string `json:"text"`               // what is wrong
	LineText string `json:"lineText,omitempty"` // the line, cut to a length fit to show
	Hint     string `json:"hint,omitempty"`     // what to do
}

// String returns "file:line:column: text".
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.File)
		if d.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", d.Line, d.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(d.Text)
	if d.Hint != "" {
		b.WriteString(" (" + d.Hint + ")")
	}
	return b.String()
}

func failure(file, text, hint string) *Error {
	return &Error{Diagnostics: []Diagnostic{{File: file, Text: text, Hint: hint}}}
}

// maxDiagnostics bounds what one bad file can make us keep and show.
const maxDiagnostics = 50

// diagnostics turns esbuild's messages into ours.
func diagnostics(msgs []api.Message) []Diagnostic {
	var out []Diagnostic
	for _, m := range msgs {
		if len(out) == maxDiagnostics {
			break
		}
		d := Diagnostic{Text: clip(strings.NewReplacer(`"`+nsProject+":", `"`, esmMark+`"`, `"`).Replace(m.Text), 2000)}
		if d2, ok := m.Detail.(*Diagnostic); ok { // one that our plugin made
			d = *d2
		}
		var hints []string
		if l := m.Location; l != nil && d.File == "" {
			d.File = projectPath(l.File)
			d.Line, d.Column = l.Line, column(l.LineText, l.Column)
			d.LineText = clip(l.LineText, 400)
			if l.Suggestion != "" {
				hints = append(hints, "did you mean "+clip(l.Suggestion, 200)+"?")
			}
		}
		for _, n := range m.Notes {
			if t := strings.TrimSpace(n.Text); t != "" && !strings.Contains(t, "plugin") {
				hints = append(hints, clip(t, 400))
			}
		}
		if d.Hint == "" {
			d.Hint = strings.Join(hints, " ")
		}
		if strings.HasPrefix(d.Text, "Could not resolve import(") || strings.HasPrefix(d.Text, "Could not resolve require(") {
			d.Text, d.Hint = runtimeName, runtimeNameHint // of a pattern: "./" + name + ".js"
		}
		out = append(out, d)
	}
	return out
}

const (
	runtimeName     = "import() of a name that is known only at run time is not supported"
	runtimeNameHint = "import each module by a literal name"
)

// projectPath strips the namespace that esbuild shows before a path.
func projectPath(file string) string {
	for _, ns := range []string{nsProject, nsModule, nsMissing, nsThrowing, nsStub, nsEmpty} {
		if p, ok := strings.CutPrefix(file, ns+":"); ok {
			return unmarked(p)
		}
	}
	return file
}

// column turns a byte offset in a line into a column.
func column(line string, offset int) int {
	offset = min(max(offset, 0), len(line))
	n := 1
	for _, r := range line[:offset] {
		n += utf16.RuneLen(r) // of an invalid byte: of U+FFFD, 1
	}
	return n
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
