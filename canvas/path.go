package canvas

import (
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A location is a request path taken apart: where the app lies below the
// handler, and what is asked for in it.
type location struct {
	project string // "" under a handler for one app
	token   string // with its "~", or ""
	name    string // in the app: "", "a/b.js", "docs/"

	snapshot string // the checkpoint that the path names, or ""
}

// depth counts the folders between the app's root and this location.
func (l location) depth() int { return strings.Count(l.name, "/") }

// rel is the relative URL of the app's root as a page at this location sees it.
func (l location) rel() string { return rootFrom(l.depth()) }

// top is rel above the checkpoint's element.
func (l location) top() string {
	if l.snapshot == "" {
		return l.rel()
	}
	return outOf(l.rel())
}

// outOf is the relative URL of the folder above another.
func outOf(rel string) string { return strings.TrimPrefix(rel, "./") + "../" }

// rootFrom is the relative URL of the root from a document depth folders down.
func rootFrom(depth int) string {
	if depth == 0 {
		return "./"
	}
	return strings.Repeat("../", depth)
}

// validPath reports whether a decoded path, without its leading slash, is one
// that a file could have. A trailing slash means a folder. Nothing is cleaned:
// what needs cleaning is refused, so that no two layers can disagree about it.
func validPath(p string) bool {
	if p == "" {
		return true
	}
	if !utf8.ValidString(p) {
		return false
	}
	for i := 0; i < len(p); i++ {
		if c := p[i]; c < ' ' || c == 0x7f || c == '\\' {
			return false
		}
	}
	p = strings.TrimSuffix(p, "/")
	return p != "." && fs.ValidPath(p)
}

// hidesSlash reports whether an escaped path holds an encoded slash or
// backslash. Both pass the path matching of a browser's Content-Security-Policy.
func hidesSlash(escaped string) bool {
	for {
		i := strings.IndexByte(escaped, '%')
		if i < 0 || i+2 >= len(escaped) {
			return false
		}
		switch strings.ToLower(escaped[i+1 : i+3]) {
		case "2f", "5c":
			return true
		}
		escaped = escaped[i+1:]
	}
}

// maxPath bounds the escaped path of a request, in bytes: more than the longest
// name and token need. Policies and pages repeat it.
const maxPath = 8 << 10

// askedFor returns a request's path without its leading slash. It reports
// false for one to be refused.
func askedFor(r *http.Request) (string, bool) {
	p := strings.TrimPrefix(r.URL.Path, "/")
	return p, validPath(p) && !hidesSlash(r.URL.EscapedPath()) && !hidesSlash(ownPart(r))
}

// locate takes a request path apart. It reports false for a path to be refused.
func locate(r *http.Request, site bool) (location, bool) {
	p, ok := askedFor(r)
	if !ok {
		return location{}, false
	}
	var l location
	if site {
		l.project, p, _ = strings.Cut(p, "/")
	}
	if strings.HasPrefix(p, tokenPrefix) {
		l.token, p, _ = strings.Cut(p, "/")
	}
	l.snapshot, l.name = cutSnapshot(p)
	return l, true
}

// cutSnapshot takes the element that names a checkpoint off a path in an app.
func cutSnapshot(p string) (snapshot, name string) {
	rest, ok := strings.CutPrefix(p, snapshotPrefix)
	if !ok {
		return "", p
	}
	snapshot, name, _ = strings.Cut(rest, "/")
	return snapshot, name
}

// requestPath returns the escaped path that the client asked for, before any
// router took a prefix off.
func requestPath(r *http.Request) string {
	if r.RequestURI == "" {
		return r.URL.EscapedPath()
	}
	if strings.HasPrefix(r.RequestURI, "/") {
		p, _, _ := strings.Cut(r.RequestURI, "?")
		return p
	}
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		return u.EscapedPath()
	}
	return r.URL.EscapedPath()
}

// ownPart returns the part of the client's path that is this handler's, as far
// as it can be told: some routers decode the path and forget how it was written.
func ownPart(r *http.Request) string {
	p := requestPath(r)
	n := strings.Count(r.URL.Path, "/")
	i := len(p)
	for ; n > 0 && i > 0; n-- {
		i = strings.LastIndexByte(p[:i], '/')
		if i < 0 {
			return p
		}
	}
	return p[i:]
}

// mountPrefix returns the escaped path below which the handler is mounted,
// without a trailing slash: what the client asked for less what a router left.
func mountPrefix(r *http.Request) string {
	full, own := requestPath(r), r.URL.EscapedPath()
	if !strings.HasPrefix(own, "/") {
		own = "/" + own
	}
	if p, ok := strings.CutSuffix(full, own); ok {
		return p
	}
	// Written differently, such as %7E for "~": compare what they decode to.
	decoded, err := url.PathUnescape(full)
	if err != nil {
		return ""
	}
	path := r.URL.Path
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	p, ok := strings.CutSuffix(decoded, path)
	if !ok {
		return ""
	}
	return (&url.URL{Path: p}).EscapedPath()
}

// needsSlash reports whether the request names the app's root, or a folder,
// without the slash that its relative URLs need.
func needsSlash(r *http.Request) bool { return !strings.HasSuffix(requestPath(r), "/") }

// slashLocation is the relative redirect that adds the slash. It holds under
// any prefix; "./" keeps a name with a colon from being read as a scheme.
func slashLocation(r *http.Request) string {
	p := requestPath(r)
	return "./" + p[strings.LastIndexByte(p, '/')+1:] + "/" + query(r)
}

func query(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return "?" + r.URL.RawQuery
}

// fold returns the form of a name in which two names that some file system
// takes for one are equal.
func fold(name string) string {
	for i := 0; i < len(name); i++ {
		if name[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
		}
	}
	return strings.ToLower(name)
}

// hidden reports whether a project's file is its own business and never served.
func hidden(name string) bool {
	name = fold(strings.TrimSuffix(name, "/"))
	for rest := name; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if strings.HasPrefix(part, ".") || part == "node_modules" {
			return true
		}
	}
	first, rest, inFolder := strings.Cut(name, "/")
	if inFolder {
		switch first {
		case "functions", "tasks", "migrations":
			return true
		case "scripts":
			return strings.HasSuffix(rest, ".md")
		}
		return false
	}
	switch name {
	case "functions", "tasks", "migrations", "sam.json", "package.json", "package-lock.json", "_headers", "_redirects":
		return true
	}
	stem, ext, _ := strings.Cut(name, ".")
	return ext != "" && (stem == "functions" || stem == "wrangler")
}
