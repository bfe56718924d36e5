package canvas

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// An htmlRewriter copies a page, letting it work below a prefix that only the
// browser knows: the script is put first, root-absolute URLs become relative,
// and an import map serves the modules' own. It works while the page streams,
// and what it does not touch passes byte for byte.
type htmlRewriter struct {
	rel    string // relative URL of the app's root
	inject string // elements put before all others; "" for none
	root   bool   // the app's root is the host's: URLs are right as they are
	cors   bool   // ask for the app's scripts so that their errors can be read in an opaque origin
	flush  func() // called before a read that may wait; may be nil
	turn   *turn  // of the project; nil for none

	dir      string // what relative URLs are relative to; "" is the page
	w        io.Writer
	out      []byte // what w gets before the next read; all there is if w is nil
	err      error
	injected bool
	mapped   bool // the page has its import map
	raw      rawKind
}

// rawKind says what the text that comes next is.
type rawKind uint8

const (
	rawNone rawKind = iota
	rawStyle
	rawImportMap
	rawScript // a classic one, which may import dynamically
)

// maxHTMLToken bounds one tag or one script. A page with a larger one is
// passed on from there as it is.
const maxHTMLToken = 8 << 20

// rewriteHTML is the rewriter for a page that is at hand.
func rewriteHTML(page []byte, rel, inject string) []byte {
	h := htmlRewriter{rel: rel, inject: inject}
	return h.bytes(page)
}

// bytes rewrites a page that is at hand.
func (h *htmlRewriter) bytes(page []byte) []byte {
	h.out = make([]byte, 0, len(page)+len(h.inject)+256)
	h.copy(bytes.NewReader(page)) // neither side can fail
	return h.out
}

// copy rewrites src into w until its end or the first error of either.
func (h *htmlRewriter) copy(src io.Reader) error {
	h.tokens(&retainingReader{h: h, r: src})
	h.send()
	return h.err
}

func (h *htmlRewriter) tokens(in *retainingReader) {
	h.turn.begin()
	defer h.turn.end()
	z := html.NewTokenizer(in)
	z.SetMaxBuf(maxHTMLToken)
	for h.err == nil {
		kind := z.Next()
		if kind == html.ErrorToken {
			h.finish(in, z.Err())
			break
		}
		raw := z.Raw()
		in.done(len(raw))
		h.token(kind, raw)
	}
}

// finish passes on what the tokenizer did not make a token of.
func (h *htmlRewriter) finish(in *retainingReader, cause error) {
	if errors.Is(cause, html.ErrBufferExceeded) {
		h.writeString(h.takeInject())
		h.write(in.rest())
		for buf := make([]byte, 32<<10); h.err == nil; {
			n, err := in.next(buf)
			h.write(buf[:n])
			if err == io.EOF {
				return
			}
			h.fail(err)
		}
		return
	}
	h.writeString(h.takeInject())
	h.write(in.rest())
	if h.inject != "" {
		h.ensureMap()
	}
	if cause != io.EOF {
		h.fail(cause)
	}
}

// fail keeps the first error.
func (h *htmlRewriter) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

func (h *htmlRewriter) token(kind html.TokenType, raw []byte) {
	switch kind {
	case html.TextToken:
		h.text(raw)
	case html.StartTagToken, html.SelfClosingTagToken:
		h.start(raw)
	case html.EndTagToken:
		h.raw = rawNone
		if name := tagName(raw[1:]); name != "head" && name != "html" {
			h.writeString(h.takeInject())
		}
		h.write(raw)
	default: // comments and the doctype may stand before everything
		h.write(raw)
	}
}

func (h *htmlRewriter) text(raw []byte) {
	kind := h.raw
	h.raw = rawNone
	switch kind {
	case rawStyle:
		raw = rewriteCSS(raw, h.rel)
	case rawImportMap:
		raw = mergeImportMap(raw, h.rel)
	case rawNone:
		if len(bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))) > 0 {
			h.writeString(h.takeInject())
		}
	}
	h.write(raw)
}

func (h *htmlRewriter) start(raw []byte) {
	name := tagName(raw)
	h.raw = rawNone
	if h.root { // nothing to do but to come first
		if name != "html" && name != "head" {
			h.writeString(h.takeInject())
		}
		h.write(raw)
		if name == "head" {
			h.writeString(h.takeInject())
		}
		return
	}
	switch name {
	case "html", "head":
		h.write(h.tag(name, raw))
		if name == "head" {
			h.writeString(h.takeInject())
		}
		return
	}
	h.writeString(h.takeInject())
	switch name {
	case "style":
		h.raw = rawStyle
	case "script":
		h.script(raw)
	case "link":
		if rel, _ := attribute(raw, "rel"); strings.EqualFold(rel, "modulepreload") {
			h.ensureMap()
		}
	}
	h.write(h.tag(name, raw))
}

// script decides what a script element means for the import map, which has to
// stand before the first module and must not be a second one.
func (h *htmlRewriter) script(raw []byte) {
	typ, _ := attribute(raw, "type")
	switch strings.ToLower(strings.TrimSpace(typ)) {
	case "importmap":
		if !h.mapped && h.inject != "" {
			h.mapped, h.raw = true, rawImportMap
		}
	case "module":
		h.ensureMap()
	}
}

func (h *htmlRewriter) ensureMap() {
	if !h.mapped && h.inject != "" && !h.root {
		h.mapped = true
		h.writeString(importMapTag(h.rel))
	}
}

func (h *htmlRewriter) takeInject() string {
	if h.injected {
		return ""
	}
	h.injected = true
	return h.inject
}

func (h *htmlRewriter) writeString(s string) {
	if s != "" {
		h.write([]byte(s))
	}
}

func (h *htmlRewriter) write(b []byte) {
	if h.err == nil {
		h.out = append(h.out, b...)
	}
}

// send gives w what there is for it. It may wait.
func (h *htmlRewriter) send() {
	if h.w == nil || len(h.out) == 0 {
		return
	}
	_, err := h.w.Write(h.out)
	h.fail(err)
	if h.out = h.out[:0]; cap(h.out) > maxKeptOutput {
		h.out = nil
	}
}

// maxKeptOutput is the size up to which a buffer is used again.
const maxKeptOutput = 64 << 10

// A retainingReader keeps what it delivered until it is done with, since the
// tokenizer does not give back a token it could not finish.
type retainingReader struct {
	h    *htmlRewriter
	r    io.Reader
	kept []byte
}

func (r *retainingReader) Read(p []byte) (int, error) {
	n, err := r.next(p)
	r.kept = append(r.kept, p[:n]...)
	return n, err
}

// next reads when all before has been sent. Either may wait, and other pages have their turn meanwhile.
func (r *retainingReader) next(p []byte) (int, error) {
	r.h.turn.end()
	defer r.h.turn.begin()
	r.h.send()
	if r.h.err != nil {
		return 0, r.h.err
	}
	if r.h.flush != nil {
		r.h.flush()
	}
	return r.r.Read(p)
}

func (r *retainingReader) done(n int)   { r.kept = r.kept[min(n, len(r.kept)):] }
func (r *retainingReader) rest() []byte { return r.kept }
