package canvas

import (
	"bytes"
	"encoding/base64"
	"errors"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"samkit.dev/host/console"
	"samkit.dev/internal/bundle"
	"samkit.dev/sam"
)

// A module is a compiled file, kept to find positions in its source.
type module struct {
	hash string // of the source
	jsx  string // setting it was compiled with
	code []byte

	once    sync.Once
	origins *bundle.Map // nil if the module has none
}

// module compiles a file of TypeScript or JSX for the browser. One that does
// not compile becomes a module that says so: a status other than 200 would
// leave the page with nothing to tell why.
func (g *generation) module(out *console.Buffer, f sam.File, source []byte) []byte {
	g.mu.RLock()
	known := g.modules[f.Name]
	g.mu.RUnlock()
	if known != nil && known.hash == f.Hash && known.jsx == g.config.jsx {
		return known.code // compiled for an earlier revision
	}
	made, err := bundle.Module(f.Name, source, &bundle.ModuleOptions{Map: bundle.InlineMap, JSXImportSource: g.config.jsx})
	if err != nil {
		diags := diagnostics(err)
		g.fail(out, diags)
		return failedModule(diags)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.modules[f.Name] = &module{hash: f.Hash, jsx: g.config.jsx, code: made.Code}
	return made.Code
}

// failedModule draws the overlay and throws. Modules that import names from it
// fail before it runs; for them the page learns of the error by its events.
func failedModule(diags []Diagnostic) []byte {
	var b bytes.Buffer
	b.WriteString("globalThis.__samkit?.fail(")
	b.Write(failJSON(diags))
	b.WriteString(");\nthrow new Error(")
	b.WriteString(strconv.QuoteToASCII((&BuildError{diags}).Error()))
	b.WriteString(");\nexport default undefined;\n")
	return b.Bytes()
}

// diagnostics gives the errors of a build our form.
func diagnostics(err error) []Diagnostic {
	var be *bundle.Error
	if !errors.As(err, &be) || len(be.Diagnostics) == 0 {
		return []Diagnostic{{Text: err.Error()}}
	}
	out := make([]Diagnostic, len(be.Diagnostics))
	for i, d := range be.Diagnostics {
		text := d.Text
		if d.Hint != "" {
			text += " (" + d.Hint + ")"
		}
		out[i] = Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Text: text, LineText: d.LineText}
	}
	return out
}

func buildEntry(d Diagnostic) console.Entry {
	e := console.Entry{Level: slog.LevelError, Origin: console.Build, Text: d.Text}
	if d.File != "" {
		e.Source = d.File
		if d.Line > 0 {
			e.Source += ":" + strconv.Itoa(d.Line) + ":" + strconv.Itoa(d.Column)
		}
	}
	if d.LineText != "" {
		e.Text += "\n    " + d.LineText
	}
	return e
}

// original finds a position of compiled code in its source. name is a path as
// the browser knows it.
func (g *generation) original(name string, line, column int) (string, int, int, bool) {
	g.mu.RLock()
	m := g.modules[g.file(name)]
	for _, ext := range moduleExts {
		if m == nil {
			m = g.modules[g.file(name)+ext]
		}
	}
	g.mu.RUnlock()
	if m == nil {
		return "", 0, 0, false
	}
	m.once.Do(func() { m.origins = inlineMap(m.code) })
	return m.origins.Original(line, column)
}

var mapMark = []byte("//# sourceMappingURL=data:application/json;base64,")

// inlineMap reads the source map at the end of a module.
func inlineMap(code []byte) *bundle.Map {
	i := bytes.LastIndex(code, mapMark)
	if i < 0 {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(code[i+len(mapMark):])))
	if err != nil {
		return nil
	}
	m, err := bundle.ParseMap(data)
	if err != nil {
		return nil
	}
	return m
}

// placeRE matches a position in a stack or source: "src/app.tsx?v=1:12:4".
var placeRE = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\p{L}\p{N}_.\-/~@+%]+)(\?[^\s():]*)?:(\d{1,9}):(\d{1,9})`)
})

// trace gives the positions in a text those of the files as written.
func (g *generation) trace(text string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	return placeRE().ReplaceAllStringFunc(text, func(s string) string {
		m := placeRE().FindStringSubmatch(s)
		line, _ := strconv.Atoi(m[3]) // at most nine digits
		column, _ := strconv.Atoi(m[4])
		name := strings.TrimPrefix(m[1], "@")
		before := m[1][:len(m[1])-len(name)]
		if i := strings.IndexByte(name, '@'); i >= 0 { // Firefox: function@file
			before, name = before+name[:i+1], name[i+1:]
		}
		if file, l, c, ok := g.original(name, line, column); ok {
			return before + file + ":" + strconv.Itoa(l) + ":" + strconv.Itoa(c)
		}
		return before + name + ":" + m[3] + ":" + m[4]
	})
}
