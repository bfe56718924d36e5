package canvas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"samkit.dev/host/console"
	"samkit.dev/internal/workers"
)

// functions answers by the project's functions.js.
func (v *visit) functions(gen *generation) {
	if gen.config.entry == "" {
		v.fail(http.StatusServiceUnavailable, failure{
			Code: "no_functions", data: true,
			Message: "This project has no functions.js, so nothing answers at " + "/" + v.loc.name + ".",
			Hint:    `Add a file functions.js to the project's root: export default { async fetch(request, env, ctx) { return Response.json({ ok: true }) } }`,
		})
		return
	}
	if !v.join() {
		return
	}
	defer v.site.busy.Add(-1)
	if v.site.busy.Add(1) > maxBusy {
		v.w.Header()["Retry-After"] = []string{"1"}
		if v.r.ContentLength != 0 {
			v.w.Header()["Connection"] = []string{"close"} // nobody reads the body
		}
		v.fail(http.StatusServiceUnavailable, failure{Code: "exhausted", Message: "Too many requests of this app are being answered."})
		return
	}
	ctx, end := v.running()
	defer end()
	whole := ctx // not ended by a socket's client
	var hangUp context.CancelFunc
	if upgrades(v.r) {
		ctx, hangUp = context.WithCancel(ctx)
		defer hangUp()
	}
	app, err := v.site.script(ctx, gen, v.app)
	if err != nil {
		v.unbuilt(gen, err)
		return
	}
	req, ok := v.request(gen)
	if !ok {
		return
	}
	if body, ok := req.Body.(*requestBody); ok {
		defer body.end(v.w)
	}
	waits := req.Body != nil || hangUp != nil
	if waits {
		defer v.unblock(whole)()
	}
	began := time.Now()
	res, err := v.h.fetch.Fetch(ctx, app, req)
	if err == nil && v.h.opts.Requests {
		v.noteRequest(res, time.Since(began))
	}
	if err != nil {
		v.site.recheck(ctx)
		v.failed(err)
		return
	}
	if res.Status >= 500 {
		v.site.recheck(ctx)
	}
	if res.Socket != nil {
		v.socket(ctx, hangUp, res)
		return
	}
	if !waits && (res.Body != nil || len(res.Bytes) > largeBody) {
		defer v.unblock(whole)()
	}
	v.respond(gen, res)
}

// noteRequest puts a request on the console: what was answered, and how long that took to begin.
func (v *visit) noteRequest(res *workers.Response, took time.Duration) {
	text := fmt.Sprintf("%d in %.1f ms", res.Status, float64(took.Microseconds())/1000)
	if n := len(res.Bytes); n > 0 {
		text += fmt.Sprintf(", %d bytes", n)
	}
	level := slog.LevelInfo
	if res.Status >= 500 {
		level = slog.LevelWarn
	}
	v.app.consoleOf(v.site).Add(console.Entry{Level: level, Origin: console.Request, Request: v.requestLine(), Text: text})
}

// maxBusy bounds the requests of one project that functions.js is answering: those whose bodies arrive, those
// that wait, streams and WebSockets. Each takes memory of the program.
const maxBusy = 2000

// running is a context that ends with the request, the handler, the app's session or the
// person's. Of the latter two the cause is workers.ErrOver.
func (v *visit) running() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(v.r.Context())
	stop := context.AfterFunc(v.h.done, func() { cancel(nil) })
	end := func() { stop(); cancel(nil) }
	over := func() { cancel(workers.ErrOver) }
	if v.life != nil {
		done, unhook := end, context.AfterFunc(v.life, over)
		end = func() { unhook(); done() }
	}
	if v.app.Done == nil {
		return ctx, end
	}
	go func() { // ends with ctx, which the caller cancels
		select {
		case <-v.app.Done:
			over()
		case <-ctx.Done():
		}
	}()
	return ctx, end
}

// request gives functions.js its request. Its URL is the app's own: the host
// that the client named, and a path that starts at the app's root, so that
// routers work wherever the handler is mounted.
func (v *visit) request(gen *generation) (*workers.Request, bool) {
	limit := cmp.Or(max(v.app.Limits.RequestBody, 0), defaultRequestBody)
	if v.r.ContentLength > limit {
		v.w.Header()["Connection"] = []string{"close"}
		v.fail(http.StatusRequestEntityTooLarge, failure{
			Code: "limit_request_body", Message: fmt.Sprintf("The request's body has %d bytes; %d are allowed.", v.r.ContentLength, limit),
		})
		return nil, false
	}
	keep := map[string]bool{}
	for _, name := range v.app.Headers {
		keep[http.CanonicalHeaderKey(name)] = true
	}
	from, host := v.r.Header, v.r.Host
	if v.label != "" {
		keep["Cookie"] = true // its own, for the host is its own
		from, host = v.appCookies(), v.base.host
	}
	header, dropped := requestHeaders(from, host, keep)
	for _, name := range dropped {
		v.site.remarkTo(v.app.consoleOf(v.site), "The request header "+name+" belongs to the program that serves this app and is kept from functions.js. App.Headers lists those that an app gets.")
	}
	if upgrades(v.r) {
		header = append(header, "upgrade", "websocket")
	}
	req := &workers.Request{
		Method: v.r.Method, URL: v.appURL().String(), Header: header,
		Length: v.r.ContentLength, Principal: v.who.Principal,
	}
	if v.life != nil {
		req.Life = v.life
	}
	if v.r.ContentLength != 0 && v.r.Body != nil && v.r.Body != http.NoBody {
		req.Body = &requestBody{r: http.MaxBytesReader(v.w, v.r.Body, limit)}
	} else {
		req.Length = 0
	}
	return req, true
}

// appURL is the URL of the request as functions.js sees it.
func (v *visit) appURL() *url.URL {
	host := v.base.host
	if !plainHost(host) {
		host = "localhost" // a URL needs one
	}
	return &url.URL{Scheme: v.base.scheme, Host: host, Path: "/" + v.loc.name, RawQuery: v.r.URL.RawQuery}
}

// defaultRequestBody is the engine's own default.
const defaultRequestBody = 32 << 20

// respond passes on what functions.js answered.
func (v *visit) respond(gen *generation, res *workers.Response) {
	if res.Body != nil {
		defer res.Body.Close()
	}
	if res.Status < 200 || res.Status > 599 {
		v.failed(fmt.Errorf("functions.js answered with status %d, which is none from 200 to 599", res.Status))
		return
	}
	h := v.w.Header()
	location := v.responseHeaders(h, res.Header)
	if location != "" && res.Status >= 300 && res.Status < 400 {
		if res.Body != nil {
			io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
		}
		v.leave(res.Status, location)
		return
	}
	streams := res.Body != nil
	contentType := h.Get("Content-Type")
	if streams && strings.HasPrefix(contentType, "text/event-stream") {
		if cause := hidesFlush(v.w); cause != "" {
			v.unflushable(cause)
			return
		}
		h["X-Accel-Buffering"] = []string{"no"}
	}
	v.beginWith(isData(h["Content-Type"], h["Content-Disposition"]))
	if v.h.opts.Origin == Opaque {
		h["Access-Control-Expose-Headers"] = valStar
	}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = valNoStore
	}
	page := strings.HasPrefix(contentType, "text/html") && h["Content-Encoding"] == nil && wantsPage(v.r) && res.Status != http.StatusNoContent
	switch {
	case page:
		delete(h, "Content-Length")
		out, err := v.rewriter(gen)
		if err != nil {
			v.broken("reading localStorage", err)
			return
		}
		v.sendPage(out, res)
	case streams:
		v.stream(res.Status, res.Body)
	default:
		if bodyAllowed(res.Status) {
			if v.r.Method != http.MethodHead || len(res.Bytes) > 0 {
				h["Content-Length"] = []string{strconv.Itoa(len(res.Bytes))}
			}
		}
		v.w.WriteHeader(res.Status)
		if v.r.Method != http.MethodHead && bodyAllowed(res.Status) {
			v.w.Write(res.Bytes)
		}
	}
}

func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified && status >= 200
}

// responseHeaders copies the headers that an app may set, and returns its
// Location, which is not copied.
func (v *visit) responseHeaders(h http.Header, pairs []string) (location string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		name, value := http.CanonicalHeaderKey(pairs[i]), pairs[i+1]
		switch {
		case name == "Location":
			location = value
		case v.keepsResponse(name) && httpguts.ValidHeaderFieldValue(value):
			if name == "Set-Cookie" {
				v.setCookie(value)
			} else {
				h[name] = append(h[name], value)
			}
		case !responseHeader(name):
			if !droppedSilently(name) {
				v.site.remarkTo(v.app.consoleOf(v.site), "The response header "+name+" is not passed on: an app may not set it.")
			}
		case name == "Content-Length", !httpguts.ValidHeaderFieldName(name), !httpguts.ValidHeaderFieldValue(value):
		default:
			h[name] = append(h[name], value)
		}
	}
	return location
}

// sendPage passes on a page that functions.js made, rewritten for the prefix.
func (v *visit) sendPage(out htmlRewriter, res *workers.Response) {
	if res.Body == nil {
		body := out.bytes(res.Bytes)
		v.w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
		v.w.WriteHeader(res.Status)
		if v.r.Method != http.MethodHead && bodyAllowed(res.Status) {
			v.w.Write(body)
		}
		return
	}
	v.w.WriteHeader(res.Status)
	if v.r.Method == http.MethodHead {
		return
	}
	rc := http.NewResponseController(v.w)
	out.w, out.flush = v.w, func() { rc.Flush() } // without Flush the page still arrives, at once
	if err := out.copy(res.Body); err != nil {
		v.brokenStream(err)
	}
}

// stream copies a body as it comes.
func (v *visit) stream(status int, body io.Reader) {
	v.w.WriteHeader(status)
	if v.r.Method == http.MethodHead || !bodyAllowed(status) {
		return
	}
	rc := http.NewResponseController(v.w)
	rc.Flush()
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, werr := v.w.Write(buf[:n]); werr != nil {
				return // the client is gone; closing the body tells functions.js
			}
			rc.Flush()
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			v.brokenStream(err)
			return
		}
	}
}

// brokenStream ends a response whose headers are gone in a way that the client
// notices: without the mark of its end.
func (v *visit) brokenStream(err error) {
	if v.ctx().Err() != nil || v.h.done.Err() != nil || v.ended() {
		panic(http.ErrAbortHandler)
	}
	text := v.safe(publicText(err))
	v.app.consoleOf(v.site).Add(console.Entry{
		Level: slog.LevelError, Origin: console.Functions, Request: v.requestLine(), Text: "The response broke off: " + text,
	})
	v.h.log.Error("canvas: a response broke off", "project", v.site.project.ID(), "path", "/"+v.loc.name, "err", v.safe(err.Error()))
	panic(http.ErrAbortHandler)
}

func publicText(err error) string {
	var we *workers.Error
	if errors.As(err, &we) {
		return we.Message
	}
	return "an internal error"
}

func (v *visit) requestLine() string { return clean(v.r.Method + " /" + v.loc.name) }

// safe is a text that code chose, such as an exception's, without secrets and
// without what would steer a terminal.
func (v *visit) safe(text string) string { return v.site.safe(text) }

func (s *site) safe(text string) string {
	if values := s.scripts.secrets.latest.Load(); values != nil {
		text = values.redact(text)
	}
	return clean(text)
}

// failed answers for a request that functions.js did not answer.
func (v *visit) failed(err error) {
	// The end of a session cancels the request's own context, too: see unblock.
	if v.over() || v.r.Context().Err() != nil {
		return
	}
	id := newID()
	f := failure{Code: "internal", Message: "functions.js failed to answer.", ID: id}
	status := http.StatusInternalServerError
	var we *workers.Error
	if errors.As(err, &we) {
		f.Code = we.Code
		if we.Status >= 400 && we.Status <= 599 {
			status = we.Status
		}
		if we.Retry > 0 {
			v.w.Header()["Retry-After"] = []string{strconv.Itoa(int(we.Retry.Seconds() + 1))}
		}
		if v.h.opts.Dev || strings.HasPrefix(we.Code, "limit_") || we.Code == "unavailable" {
			f.Message = v.safe(we.Message)
		}
		if v.h.opts.Dev {
			f.Stack = v.safe(we.Stack)
		}
	} else if v.h.opts.Dev {
		f.Message = v.safe(err.Error())
	}
	detail, stack := v.safe(publicText(err)), v.safe(stackOf(we))
	v.h.log.Error("canvas: functions.js failed", "project", v.site.project.ID(), "request", v.requestLine(), "id", id, "code", f.Code, "err", v.safe(err.Error()))
	v.app.consoleOf(v.site).Add(console.Entry{
		Level: slog.LevelError, Origin: console.Functions, Request: v.requestLine(),
		Text:   fmt.Sprintf("answered %d %s (%s): %s", status, f.Code, id, detail),
		Source: placeRE().FindString(stack), Stack: stack,
	})
	v.fail(status, f)
}

// over answers for a request that the handler's end or the session's ended.
func (v *visit) over() bool {
	if v.h.done.Err() != nil {
		v.lastOne()
		v.fail(http.StatusServiceUnavailable, failure{Code: "unavailable", Message: "The server is shutting down."})
		return true
	}
	if v.ended() {
		v.lastOne()
		v.sessionEnded()
		return true
	}
	return false
}

func stackOf(we *workers.Error) string {
	if we == nil {
		return ""
	}
	return we.Stack
}

// unbuilt answers for functions.js that does not build.
func (v *visit) unbuilt(gen *generation, err error) {
	if v.ctx().Err() != nil {
		return
	}
	var be *BuildError
	if !errors.As(err, &be) {
		v.failed(err)
		return
	}
	gen.fail(v.app.consoleOf(v.site), be.Diagnostics)
	id := newID()
	v.h.log.Error("canvas: an app does not build", "project", v.site.project.ID(), "id", id, "err", err)
	f := failure{Code: "build", Message: "The source of this app has errors.", ID: id, head: v.h.client.tag(v.loc.rel(), gen.id)}
	if v.h.opts.Dev {
		var lines []string
		for _, d := range be.Diagnostics {
			lines = append(lines, d.String())
			if d.LineText != "" {
				lines = append(lines, "    "+d.LineText)
			}
		}
		f.Stack = strings.Join(lines, "\n")
	}
	v.fail(http.StatusInternalServerError, f)
}
