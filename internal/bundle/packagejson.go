package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

// A packageJSON is what resolution reads of a package.json.
type packageJSON struct {
	dir  string
	err  *Error // the file is broken
	pure []*regexp.Regexp
	all  bool // no file has side effects, but for those that pure matches

	Name    string
	Type    string
	Main    string
	Module  string
	Browser *node
	Exports *node
	Imports *node
}

// A node is a JSON value that keeps the order of its properties, which decides
// between conditions.
type node struct {
	kind byte // 's'tring, 'o'bject, 'a'rray, 'n'ull, 'f'alse, 'x' anything else
	text string
	keys []string
	vals []*node
}

func (n *node) get(key string) *node {
	if n == nil || n.kind != 'o' {
		return nil
	}
	for i := len(n.keys) - 1; i >= 0; i-- { // the last of duplicates counts
		if n.keys[i] == key {
			return n.vals[i]
		}
	}
	return nil
}

func (n *node) str() string {
	if n == nil || n.kind != 's' {
		return ""
	}
	return n.text
}

const maxJSONDepth = 64

func parseNode(data []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := readNode(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the value")
	}
	return n, nil
}

func readNode(d *json.Decoder, depth int) (*node, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxJSONDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case string:
		return &node{kind: 's', text: t}, nil
	case nil:
		return &node{kind: 'n'}, nil
	case bool:
		if !t {
			return &node{kind: 'f'}, nil
		}
		return &node{kind: 'x'}, nil
	case json.Delim:
		n := &node{kind: 'a'}
		if t == '{' {
			n.kind = 'o'
		}
		for d.More() {
			if n.kind == 'o' {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, k.(string)) // the decoder allows nothing else
			}
			v, err := readNode(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.vals = append(n.vals, v)
		}
		_, err := d.Token()
		return n, err
	}
	return &node{kind: 'x'}, nil
}

// pkg returns the package.json in dir, or nil. Answers are kept for the build.
func (b *bundler) pkg(dir string) *packageJSON {
	b.mu.Lock()
	p, known := b.packages[dir]
	b.mu.Unlock()
	if known {
		return p
	}
	if name := path.Join(dir, "package.json"); b.kind(name) == isFile {
		p = b.readPackage(dir, name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.packages[dir] = p
	return p
}

func (b *bundler) readPackage(dir, name string) *packageJSON {
	p := &packageJSON{dir: dir}
	data, err := b.load(name)
	if err != nil {
		if !errors.As(err, &p.err) {
			p.err = failure(name, err.Error(), "")
		}
		return p
	}
	root, err := parseNode(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("it ends early")
	}
	if err != nil || root.kind != 'o' {
		p.err = &Error{[]Diagnostic{jsonDiagnostic(name, data, err)}}
		return p
	}
	p.Name, p.Type, p.Main, p.Module = root.get("name").str(), root.get("type").str(), root.get("main").str(), root.get("module").str()
	p.Browser, p.Imports = root.get("browser"), root.get("imports")
	if e := root.get("exports"); e != nil && e.kind != 'n' {
		p.Exports = e
	}
	switch s := root.get("sideEffects"); {
	case s == nil:
	case s.kind == 'f':
		p.all = true
	case s.kind == 'a':
		p.all = true
		for _, g := range s.vals {
			if g.kind == 's' {
				p.pure = append(p.pure, glob(g.text))
			}
		}
	}
	return p
}

// jsonDiagnostic says where JSON is broken.
func jsonDiagnostic(name string, data []byte, err error) Diagnostic {
	d := Diagnostic{File: name, Text: "The file is no JSON object"}
	if err == nil {
		return d
	}
	d.Text = "The file is not JSON: " + err.Error()
	var v any
	var se *json.SyntaxError
	if errors.As(json.Unmarshal(data, &v), &se) {
		at := min(max(int(se.Offset)-1, 0), len(data))
		start := bytes.LastIndexByte(data[:at], '\n') + 1
		line, _, _ := bytes.Cut(data[start:], []byte("\n"))
		d.Line, d.Column, d.LineText = 1+bytes.Count(data[:start], []byte("\n")), column(string(line), at-start), clip(string(line), 400)
	}
	return d
}

// mains returns the values of the main fields in order of preference. For
// require, what is CommonJS goes first: a package that offers both would
// otherwise give an object where its only export is asked for.
func (p *packageJSON) mains(require bool) []string {
	order := []string{p.Module, p.Browser.str(), p.Main}
	if require {
		order = []string{p.Browser.str(), p.Main, p.Module}
	}
	var out []string
	for _, m := range order {
		if m != "" {
			out = append(out, m)
		}
	}
	return out
}

// scope returns the package.json that governs a folder: the nearest.
func (b *bundler) scope(dir string) *packageJSON {
	for {
		if path.Base(dir) == "node_modules" {
			return nil
		}
		if p := b.pkg(dir); p != nil {
			return p
		}
		if dir == "." {
			return nil
		}
		dir = path.Dir(dir)
	}
}

// sideEffects reports whether a file must be kept when nothing is used of it.
func (b *bundler) sideEffects(name string) bool {
	p := b.scope(path.Dir(name))
	if p == nil || !p.all {
		return true
	}
	rel := strings.TrimPrefix(name, p.dir+"/")
	for _, re := range p.pure {
		if re.MatchString(rel) {
			return true
		}
	}
	return false
}

// glob compiles a pattern of sideEffects: *, ** and ?; without a slash it
// matches in any folder.
func glob(pattern string) *regexp.Regexp {
	pattern = strings.TrimPrefix(pattern, "./")
	if len(pattern) > 1000 {
		pattern = "**"
	}
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	var re strings.Builder
	re.WriteString("^")
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**/"):
			re.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			re.WriteString(".*")
			i++
		case pattern[i] == '*':
			re.WriteString("[^/]*")
		case pattern[i] == '?':
			re.WriteString("[^/]")
		default:
			re.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	re.WriteString("$")
	compiled, err := regexp.Compile(re.String())
	if err != nil { // invalid UTF-8: matches nothing less than everything
		return regexp.MustCompile("")
	}
	return compiled
}

// browserMap applies {"browser": {...}} of the importer's package, to a
// package name or to a file found or looked for.
func (b *bundler) browserMap(from, found, spec string, require bool) (target, bool) {
	if from == "" {
		return target{}, false
	}
	p := b.scope(path.Dir(from))
	if p == nil || p.Browser == nil || p.Browser.kind != 'o' {
		return target{}, false
	}
	var keys []string
	for _, name := range []string{found, spec} {
		if name == "" {
			continue
		}
		if rel, ok := strings.CutPrefix("./"+name, "./"+strings.TrimPrefix(p.dir+"/", "./")); ok {
			keys = append(keys, "./"+rel, strings.TrimSuffix("./"+rel, path.Ext(rel)), rel)
		} else if name == spec {
			keys = append(keys, spec)
		}
	}
	for _, k := range keys {
		v := p.Browser.get(k)
		switch {
		case v == nil:
			continue
		case v.kind == 'f':
			return target{nsEmpty, spec}, true
		case v.kind == 's' && strings.HasPrefix(v.text, "."):
			name := path.Join(p.dir, v.text)
			if to := b.fileOrFolder(name, require); to != "" && within(p.dir, to) {
				return target{nsProject, to}, true
			}
		case v.kind == 's' && v.text != k && v.text != spec:
			// Another package. Its own name cannot be mapped again: no loop.
			if name, sub, ok := splitPackage(v.text); ok {
				for d := p.dir; ; d = path.Dir(d) {
					root := path.Join(d, "node_modules", name)
					if b.kind(root) == isDir {
						if t, err := b.fromPackage(root, sub, v.text, require); err == nil {
							return t, true
						}
					}
					if d == "." {
						break
					}
				}
			}
		}
	}
	return target{}, false
}
