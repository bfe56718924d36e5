// Package libraries runs libraries of npm in samkit and in workerd, each in a Worker
// that uses it as people do, and compares the answers byte for byte.
//
// Each file of the directory uses is such a Worker. Its first comment says which
// package it is about, what it does with it, and which requests it is asked; without
// requests it is asked "GET /". A line "flags:" names compatibility flags, a line "server:" a
// Worker of uses/parts that the use reaches by fetch at env.SERVER:
//
//	// hono
//	// Routes with parameters, middleware and errors.
//	// flags: nodejs_compat
//	// GET /users/7
//	// POST /echo {"name":"Ada"}
//
// What it imports from uses/parts is no use of its own: a scripted server that SDKs
// talk to, and what compilers of templates made.
//
// The test writes what it found to docs/libraries.md when it is run with -update, and
// fails if that file says something else. A package is added by a file here and its
// pinned version in ../js/package.json.
package libraries

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"samkit.dev/internal/conformance/peer"
)

//go:embed uses
var usesFS embed.FS

// A use is a Worker that uses a library.
type use struct {
	name     string // of the file, without its extension
	library  string // the package that it is about
	about    string
	requests []request
	worker   peer.Worker
	server   *peer.Worker // that it talks to, at env.SERVER
}

// A request is what a use is asked.
type request struct{ method, path, body string }

func (r request) String() string { return strings.TrimSpace(r.method + " " + r.path + " " + r.body) }

// uses reads all of them, in the order of their packages' names.
func uses() ([]use, error) {
	names, err := fs.Glob(usesFS, "uses/*.ts*")
	if err != nil {
		return nil, err
	}
	var all []use
	for _, name := range names {
		data, err := usesFS.ReadFile(name)
		if err != nil {
			return nil, err
		}
		u, err := parseUse(name, string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b use) int {
		return strings.Compare(strings.TrimLeft(a.library, "@"), strings.TrimLeft(b.library, "@"))
	})
	return all, nil
}

var requestLine = regexp.MustCompile(`^([A-Z]+) (/\S*)(?: (.+))?$`)

func parseUse(name, source string) (use, error) {
	base := path.Base(name)
	u := use{name: strings.TrimSuffix(base, path.Ext(base))}
	u.worker = peer.Worker{Name: strings.ReplaceAll(u.name, ".", "-"), Entry: base, Files: map[string]string{base: source}, Production: true}
	var about []string
	for _, line := range headOf(source) {
		m := requestLine.FindStringSubmatch(line)
		flags, isFlags := strings.CutPrefix(line, "flags: ")
		server, isServer := strings.CutPrefix(line, "server: ")
		switch {
		case m != nil:
			u.requests = append(u.requests, request{m[1], m[2], m[3]})
		case isFlags:
			u.worker.Flags = strings.Fields(flags)
		case isServer:
			s := use{worker: peer.Worker{Name: server, Entry: "parts/" + server + ".ts", Files: map[string]string{}}}
			if err := s.addFile("parts", server); err != nil {
				return use{}, err
			}
			u.server = &s.worker
		case u.library == "":
			u.library = line
		default:
			about = append(about, line)
		}
	}
	if u.about = strings.Join(about, " "); u.library == "" || u.about == "" {
		return use{}, fmt.Errorf("the first comment does not say what this is")
	}
	if len(u.requests) == 0 {
		u.requests = []request{{method: "GET", path: "/"}}
	}
	return u, u.addImports(".", source)
}

// headOf is the lines of a source's first comment of // lines.
func headOf(source string) []string {
	var head []string
	for line := range strings.Lines(source) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if ok {
			head = append(head, text)
		} else if len(head) > 0 {
			break
		}
	}
	return head
}

var (
	importFrom = regexp.MustCompile(`(?m)(?:(?:^import|^export|^\}) *(?:[^"';]* from )?|require\()["']([^"']+)["']`)
	jsxFrom    = regexp.MustCompile(`@jsxImportSource (\S+)`)
)

// addImports adds the files and packages that a source in dir imports.
func (u *use) addImports(dir, source string) error {
	for _, m := range slices.Concat(importFrom.FindAllStringSubmatch(source, -1), jsxFrom.FindAllStringSubmatch(source, -1)) {
		if local, ok := strings.CutPrefix(m[1], "./"); ok {
			if err := u.addFile(dir, local); err != nil {
				return err
			}
			continue
		}
		if strings.Contains(m[1], ":") {
			continue // of the platform
		}
		parts := strings.SplitN(m[1], "/", 3)
		pkg := parts[0]
		if pkg[0] == '@' && len(parts) > 1 {
			pkg += "/" + parts[1]
		}
		if !slices.Contains(u.worker.Packages, pkg) {
			u.worker.Packages = append(u.worker.Packages, pkg)
		}
	}
	return nil
}

func (u *use) addFile(dir, name string) error {
	name = path.Join(dir, name)
	for _, ext := range []string{".ts", ".tsx", ".js"} {
		data, err := usesFS.ReadFile("uses/" + name + ext)
		if err != nil {
			continue
		}
		if _, have := u.worker.Files[name+ext]; have {
			return nil
		}
		u.worker.Files[name+ext] = string(data)
		return u.addImports(path.Dir(name), string(data))
	}
	return fmt.Errorf("imports %s, which is not there", name)
}
