package canvas

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"strings"
)

// A visit is one request on its way through the handler.
type visit struct {
	h    *Handler
	w    http.ResponseWriter
	r    *http.Request
	loc  location
	base base
	pol  *policy
	who  Visitor
	app  *App  // nil before it is found
	site *site // nil before app is

	since uint64 // revocations when the visit began
	life  *life  // of the person; nil before join, and of nobody in particular

	label   string // of the app's own host, or ""
	project string // which label stands for

	cookies []string // that are set: those of functions.js, if it may, and the handler's
}

// begin writes the headers that every response has.
func (v *visit) begin() http.Header { return v.beginWith(false) }

// beginWith is begin for a response that may be data: see isData.
func (v *visit) beginWith(data bool) http.Header {
	h := v.w.Header()
	v.pol.set(h, v.base, data)
	if v.cookies != nil {
		h["Set-Cookie"] = v.cookies
	}
	if v.loc.token == "" && (v.label != "" || v.h.opts.Auth != nil || v.h.opts.Principal != nil) {
		h["Vary"] = valVaryWho // no cache may give it to somebody else
	}
	return h
}

// navigation reports whether a person's browser will show the response as a
// page. Without the headers that say so, what asks for HTML counts.
func navigation(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return r.Header.Get("Origin") == "" && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// wantsPage reports whether an HTML response will be a page rather than a
// piece of one that a script asked for.
func wantsPage(r *http.Request) bool {
	switch dest := r.Header.Get("Sec-Fetch-Dest"); dest {
	case "document", "iframe", "frame", "embed", "object", "fencedframe":
		return true
	case "":
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return r.Header.Get("Origin") == "" && r.Header.Get("X-Requested-With") == "" && r.Header.Get("Hx-Request") == ""
		}
		return strings.Contains(r.Header.Get("Accept"), "text/html")
	}
	return false
}

// A failure is an error as it is told to a visitor.
type failure struct {
	Code    string `json:"error"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	ID      string `json:"id,omitempty"`
	Stack   string `json:"stack,omitempty"`

	head string // put into the page, so that it follows the project
	data bool   // JSON whoever asks
}

// fail answers with an error: a page for people, JSON for scripts.
func (v *visit) fail(status int, f failure) {
	h := v.begin()
	h["Cache-Control"] = valNoStore
	delete(h, "Etag")
	delete(h, "Content-Encoding")
	body, contentType := f.json(), "application/json"
	if navigation(v.r) && !f.data {
		body, contentType = f.page(status), "text/html; charset=utf-8"
	}
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{fmt.Sprint(len(body))}
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		v.w.Write(body)
	}
}

func (f failure) json() []byte {
	b, _ := json.Marshal(f) // strings always encode
	return append(b, '\n')
}

func (f failure) page(status int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><meta charset=utf-8><meta name=viewport content="width=device-width"><title>%d %s</title>`+
		`<style>body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:12vh auto;padding:0 1.5rem;color:#222}`+
		`pre{background:#4c1020;color:#fff;padding:1rem;border-radius:8px;overflow:auto;white-space:pre-wrap}small{color:#777}`+
		`@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}}</style>%s<h1>%d %s</h1><p>%s</p>`,
		status, html.EscapeString(http.StatusText(status)), f.head, status, html.EscapeString(http.StatusText(status)), html.EscapeString(f.Message))
	if f.Hint != "" {
		fmt.Fprintf(&b, "<p>%s</p>", html.EscapeString(f.Hint))
	}
	if f.Stack != "" {
		fmt.Fprintf(&b, "<pre>%s</pre>", html.EscapeString(f.Stack))
	}
	fmt.Fprintf(&b, "<small>%s", html.EscapeString(f.Code))
	if f.ID != "" {
		fmt.Fprintf(&b, " · %s", html.EscapeString(f.ID))
	}
	b.WriteString("</small>\n")
	return []byte(b.String())
}

func (v *visit) notFound() {
	v.fail(http.StatusNotFound, failure{Code: "not_found", Message: "There is nothing at this address."})
}

// redirect answers with a relative redirect that holds under any prefix.
func (v *visit) redirect(status int, location string) {
	h := v.begin()
	h["Cache-Control"] = valNoStore
	h["Location"] = []string{location}
	h["Content-Length"] = []string{"0"}
	v.w.WriteHeader(status)
}

// broken answers for a fault that is not the visitor's: the cause goes to the
// log and the console under an id.
func (v *visit) broken(what string, err error) {
	id := newID()
	v.h.log.Error("canvas: "+what, "project", v.loc.project, "path", "/"+v.loc.name, "id", id, "err", err)
	f := failure{Code: "internal", Message: "The server failed to answer.", ID: id}
	if v.h.opts.Dev {
		f.Message = what + ": " + err.Error()
	}
	v.fail(http.StatusInternalServerError, f)
}

// newID names one failure for a person to quote.
func newID() string { return strings.ToLower(rand.Text()[:12]) }

var _ slog.LogValuer = location{}

// LogValue keeps tokens out of logs.
func (l location) LogValue() slog.Value {
	return slog.GroupValue(slog.String("project", l.project), slog.String("path", "/"+l.name))
}
