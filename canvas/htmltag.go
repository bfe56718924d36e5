package canvas

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// urlAttrs are the attributes that hold one URL, whatever their element.
var urlAttrs = map[string]bool{
	"src": true, "href": true, "xlink:href": true, "action": true, "formaction": true, "poster": true,
	"background": true, "cite": true, "manifest": true, "longdesc": true,
}

// tagName returns the lower-case name of a tag from its source.
func tagName(raw []byte) string {
	i := 1
	for i < len(raw) && !isSpace(raw[i]) && raw[i] != '/' && raw[i] != '>' {
		i++
	}
	return strings.ToLower(string(raw[min(1, len(raw)):i]))
}

// An attr is an attribute's place in the source of its tag.
type attr struct {
	name       string // in lower case
	at         int    // of the name
	start, end int    // of the value, without quotes
	quote      byte   // or 0
}

// attrs finds the attributes of a start tag, as a browser's tokenizer does.
func attrs(raw []byte, yield func(attr) bool) {
	i := 1 + len(tagName(raw))
	end := len(raw)
	if end > 0 && raw[end-1] == '>' {
		end--
	}
	for i < end {
		for i < end && (isSpace(raw[i]) || raw[i] == '/') {
			i++
		}
		from := i
		for i < end && !isSpace(raw[i]) && raw[i] != '/' && (raw[i] != '=' || i == from) {
			i++
		}
		a := attr{name: strings.ToLower(string(raw[from:i])), at: from}
		for i < end && isSpace(raw[i]) {
			i++
		}
		if i < end && raw[i] == '=' {
			i++
			for i < end && isSpace(raw[i]) {
				i++
			}
			if i < end && (raw[i] == '"' || raw[i] == '\'') {
				a.quote = raw[i]
				i++
				a.start = i
				if n := bytes.IndexByte(raw[i:end], a.quote); n >= 0 {
					i += n
				} else {
					i = end
				}
				a.end = i
				i++
			} else {
				a.start = i
				for i < end && !isSpace(raw[i]) {
					i++
				}
				a.end = i
			}
		}
		if a.name != "" && !yield(a) {
			return
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// attribute returns the decoded value of the first attribute of that name.
func attribute(raw []byte, name string) (string, bool) {
	value, found := "", false
	attrs(raw, func(a attr) bool {
		if a.name == name {
			value, found = html.UnescapeString(string(raw[a.start:a.end])), true
		}
		return !found
	})
	return value, found
}

// tag returns a start tag with its root-absolute URLs made relative.
func (h *htmlRewriter) tag(name string, raw []byte) []byte {
	crossorigin := h.cors && name == "script" && ownScript(raw)
	if !crossorigin && h.dir == "" && name != "base" && bytes.IndexByte(raw, '/') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return raw
	}
	var out []byte
	done := 0
	if crossorigin {
		done = len("<script")
		out = append(append(out, raw[:done]...), " crossorigin"...)
	}
	attrs(raw, func(a attr) bool {
		if name == "base" && a.name == "href" && h.base(string(raw[a.start:a.end])) {
			out = append(append(out, raw[done:a.at]...), "data-"...)
			done = a.at
			return true
		}
		if a.end > a.start {
			old := raw[a.start:a.end]
			if now := h.value(name, a.name, old); !bytes.Equal(now, old) {
				out = append(append(out, raw[done:a.start]...), now...)
				done = a.end
			}
		}
		return true
	})
	if out == nil {
		return raw
	}
	return append(out, raw[done:]...)
}

// ownScript reports whether a tag loads a script of the app without asking
// for it by CORS. A browser keeps the errors of such a script to itself.
func ownScript(raw []byte) bool {
	src, ok := attribute(raw, "src")
	typ, _ := attribute(raw, "type")
	if _, asks := attribute(raw, "crossorigin"); !ok || asks || strings.EqualFold(strings.TrimSpace(typ), "module") {
		return false // modules are asked for by CORS anyway
	}
	src = strings.TrimSpace(src)
	return rootAbsolute(src) || src != "" && src[0] != '/' && src[0] != '\\' && !strings.Contains(src, ":")
}

// value returns the new source of an attribute's value.
func (h *htmlRewriter) value(tag, name string, old []byte) []byte {
	switch {
	case urlAttrs[name], name == "data" && tag == "object":
		return h.below(relocateURL(old, h.rel), old)
	case name == "srcset", name == "imagesrcset":
		return relocateEach(old, h.rel, ',')
	case name == "ping":
		return relocateEach(old, h.rel, ' ')
	case name == "style":
		return rewriteCSS(old, h.rel)
	case name == "content" && tag == "meta":
		return relocateRefresh(old, h.rel)
	}
	return old
}

// base notes a page's <base> that lies in the app, and reports whether it has
// to be set aside: the page's policy refuses one, and it would turn around what
// the rewritten URLs mean. Its effect on relative URLs is written into them.
func (h *htmlRewriter) base(href string) bool {
	href = strings.TrimSpace(html.UnescapeString(href))
	if h.dir != "" || h.inject == "" || !rootAbsolute(href) && !relative(href) {
		return false
	}
	h.dir = href[:strings.LastIndexByte(href, '/')+1]
	if rootAbsolute(href) {
		h.dir = h.rel + h.dir[1:]
	}
	if h.dir == "" {
		h.dir = "./"
	}
	return true
}

// below applies the page's base to a relative URL that was not rewritten.
func (h *htmlRewriter) below(now, old []byte) []byte {
	u := bytes.TrimSpace(old)
	if h.dir == "" || !bytes.Equal(now, old) || !relative(string(u)) {
		return now
	}
	return append([]byte(h.dir), u...)
}

// relative reports whether a URL is a path relative to its base.
func relative(u string) bool {
	if u == "" || strings.IndexByte("/\\#?&", u[0]) >= 0 {
		return false
	}
	colon, slash := strings.IndexByte(u, ':'), strings.IndexByte(u, '/')
	return colon < 0 || slash >= 0 && slash < colon
}

// relocateURL lets one URL start at rel if it is root-absolute. A slash that
// is written as a character reference counts.
func relocateURL(old []byte, rel string) []byte {
	i := skipSpace(old, 0)
	if i < len(old) && old[i] == '&' {
		if s := html.UnescapeString(string(old[i:])); rootAbsolute(s) {
			return append(append(bytes.Clone(old[:i]), rel...), html.EscapeString(s[1:])...)
		}
		return old
	}
	if !rootAbsolute(old[i:]) {
		return old
	}
	return append(append(bytes.Clone(old[:i]), rel...), old[i+1:]...)
}

// relocateEach does so for every URL of a list such as a srcset. A comma
// inside a URL is no separator: one ends at white space.
func relocateEach(old []byte, rel string, sep byte) []byte {
	var out []byte
	done, expect := 0, true
	for i := 0; i < len(old); i++ {
		switch {
		case isSpace(old[i]):
			if sep == ' ' {
				expect = true
			}
		case old[i] == sep && (i+1 == len(old) || isSpace(old[i+1]) || expect):
			expect = true
		case expect:
			expect = false
			if rootAbsolute(old[i:]) {
				out = append(append(out, old[done:i]...), rel...)
				done = i + 1
			}
		}
	}
	if out == nil {
		return old
	}
	return append(out, old[done:]...)
}

// relocateRefresh does so for the URL of <meta http-equiv=refresh content="0; url=/x">.
func relocateRefresh(old []byte, rel string) []byte {
	i := bytes.IndexAny(old, ";,")
	if i < 0 || len(bytes.Trim(old[:i], "0123456789. \t\n")) > 0 {
		return old
	}
	i = skipSpace(old, i+1)
	if !hasFold(old[i:], "url") {
		return old
	}
	i = skipSpace(old, i+len("url"))
	if i >= len(old) || old[i] != '=' {
		return old
	}
	i = skipSpace(old, i+1)
	if i < len(old) && (old[i] == '\'' || old[i] == '"') {
		i++
	}
	if i >= len(old) || !rootAbsolute(old[i:]) {
		return old
	}
	return append(append(bytes.Clone(old[:i]), rel...), old[i+1:]...)
}
