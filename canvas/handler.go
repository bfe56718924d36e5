package canvas

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// A Handler serves apps below any prefix. It follows their projects: a commit
// takes effect with the next request. It is safe for concurrent use.
type Handler struct {
	opts        Options
	site        bool // the first path element is the project
	find        Finder
	auth        http.Handler // Options.Auth around behindAuth; nil without it
	sealer      *sealer
	crossOrigin *http.CrossOriginProtection
	client      *client
	framer      *framer
	baseURL     *url.URL  // of Options.BaseURL, or nil
	own         *ownHosts // nil unless the origin is Own
	frames      []string  // sources of frame-ancestors
	plain       *policy   // for responses before an app is known
	log         *slog.Logger
	fetch       fetcher
	engine      *engine.Engine // the handler's own, or nil
	nonce       string         // tells the domains of this handler from another's

	people    *people
	probes    sync.Map     // *string by id; see probeHeader
	databases atomic.Int64 // open ones

	maxDatabases int64         // a test may set it
	maxWarm      int           // likewise
	socketPing   time.Duration // likewise
	snapshotAge  time.Duration // likewise

	done context.Context // ends with Close
	stop context.CancelFunc

	mu     sync.Mutex // guards what follows
	closed bool
	active sync.WaitGroup // requests and watches; added to under mu
	sites  map[*sam.Project]*site
	parted map[*sam.Project]uint64 // serials of sites that have been forgotten since
	serial uint64                  // of the newest site
	held   int64                   // bytes of prepared responses
	warm   int                     // sites that have a generation, nearly
}

var _ http.Handler = (*Handler)(nil)

// newHandler makes a handler that runs functions.js by run; nil means the engine.
func newHandler(find Finder, opts *Options, run fetcher) (*Handler, error) {
	h := &Handler{find: find, crossOrigin: http.NewCrossOriginProtection(), people: newPeople(), nonce: rand.Text(), sites: map[*sam.Project]*site{}, parted: map[*sam.Project]uint64{}, fetch: run, maxDatabases: maxDatabases, socketPing: socketPing, snapshotAge: snapshotAge}
	if opts != nil {
		h.opts = *opts
	}
	if h.log = h.opts.Logger; h.log == nil {
		h.log = slog.Default()
	}
	if err := h.checkOptions(); err != nil {
		return nil, err
	}
	var err error
	if h.sealer, err = newSealer(h.opts.Key); err != nil {
		return nil, err
	}
	if h.client, err = newClient(h.opts.Origin == Opaque); err != nil {
		return nil, err
	}
	if h.framer, err = newFramer(h.opts.Frames); err != nil {
		return nil, err
	}
	if h.fetch == nil {
		if err := h.start(); err != nil {
			return nil, err
		}
	}
	h.maxWarm = h.warmest()
	if h.opts.Auth != nil {
		h.auth = h.opts.Auth(http.HandlerFunc(h.behindAuth))
	}
	h.plain = newPolicy(h.opts.Origin, h.frames, nil)
	h.done, h.stop = context.WithCancel(context.Background())
	if h.opts.Origin == Trusted {
		h.log.Warn("canvas: apps share the program's origin (Options.Origin is Trusted): their pages can do what the program's own pages can")
	}
	return h, nil
}

func (h *Handler) checkOptions() error {
	switch h.opts.Origin {
	case Opaque, Trusted:
	case Own:
		o, err := newOwnHosts(&h.opts)
		if err != nil {
			return err
		}
		h.own, h.frames = o, []string{o.homeOrigin()}
		if o.shared {
			h.log.Warn("canvas: Options.Domain and Options.Home are below one registered domain: pages of apps can set cookies for the program, and see those it sets for all of the domain")
		}
	default:
		return fmt.Errorf("canvas: Options.Origin is %v", h.opts.Origin)
	}
	h.frames = append(h.frames, h.opts.Frames...)
	for _, f := range h.opts.Frames {
		if f == "*" {
			continue
		}
		if err := checkSources("Options.Frames", []string{f}, "https http"); err != nil {
			return err
		}
	}
	if h.opts.BaseURL == "" {
		return nil
	}
	u, err := url.Parse(h.opts.BaseURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !plainHost(u.Host) || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("canvas: Options.BaseURL %q is no URL such as \"https://example.com\"", h.opts.BaseURL)
	}
	h.baseURL = u
	return nil
}

// ServeHTTP serves one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		h.plain.set(w.Header(), base{}, false)
		http.Error(w, "The server is shutting down.", http.StatusServiceUnavailable)
		return
	}
	defer h.active.Done()
	if v, ok := h.visit(w, r); ok {
		defer v.end()
		v.route()
	}
}

// enter counts a request or a watch in, unless the handler is closed.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.active.Add(1)
	return true
}

// end lets go of the site that find got.
func (v *visit) end() {
	if v.site != nil {
		v.site.leave()
	}
}

// visit takes a request apart. It answers what has no place.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request) (*visit, bool) {
	v := &visit{h: h, w: w, r: r, pol: h.plain, since: h.people.revocations.Load()}
	if len(requestPath(r)) > maxPath || len(r.URL.Path) > maxPath {
		v.fail(http.StatusRequestURITooLong, failure{Code: "invalid", Message: fmt.Sprintf("A path has at most %d bytes.", maxPath)})
		return nil, false
	}
	if h.own != nil && !v.settle() {
		return nil, false
	}
	var ok bool
	if v.label != "" { // all of the path is the app's
		v.loc.name, ok = askedFor(r)
		v.loc.snapshot, v.loc.name = cutSnapshot(v.loc.name)
		if h.site {
			v.loc.project = v.project
		}
	} else {
		v.loc, ok = locate(r, h.site)
		v.base = h.base(r, v.loc)
	}
	if !ok {
		v.fail(http.StatusBadRequest, failure{Code: "invalid", Message: "This path is not one that a file can have."})
		return nil, false
	}
	if h.site && !validID(v.loc.project) {
		v.notFound()
		return nil, false
	}
	return v, true
}

// route sends a request where it belongs.
func (v *visit) route() {
	if v.h.opts.Origin == Opaque && v.preflight() {
		return
	}
	if v.loc.name == "" && needsSlash(v.r) {
		v.redirect(http.StatusTemporaryRedirect, slashLocation(v.r))
		return
	}
	if v.label != "" {
		v.atApp()
		return
	}
	v.authorize()
}

// preflight answers a browser's question whether it may send a request. The
// question carries no credentials, and the answer tells nothing.
func (v *visit) preflight() bool {
	if v.r.Method != http.MethodOptions || v.r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := v.begin()
	h["Access-Control-Allow-Methods"] = []string{"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY"}
	if asked := v.r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h["Access-Control-Allow-Headers"] = []string{asked}
	}
	h["Access-Control-Max-Age"] = []string{"600"}
	h["Vary"] = []string{valVary[0] + ", Access-Control-Request-Headers"}
	v.w.WriteHeader(http.StatusNoContent)
	return true
}

// serve answers a request that may be answered.
func (v *visit) serve() {
	name := v.loc.name
	switch {
	case v.loc.snapshot == "" && v.label == "" && (name == "~frame" || strings.HasPrefix(name, framePrefix)):
		v.framing()
	case v.h.own != nil && v.label == "":
		v.fromHome()
	case !strings.HasPrefix(name, "~"):
		v.content()
	case name == v.h.client.name:
		v.clientScript()
	case name == "~events":
		v.events()
	case name == "~log":
		v.consoleLog()
	case name == "~storage":
		v.storage()
	default:
		v.notFound()
	}
}

// base finds out what a browser calls the app's root: by what the options say,
// what a trusted proxy says, or what the request itself shows.
func (h *Handler) base(r *http.Request, loc location) base {
	b := base{scheme: "http", host: r.Host}
	if r.TLS != nil {
		b.scheme = "https"
	}
	prefix := mountPrefix(r)
	switch {
	case h.own != nil:
		b.scheme, b.host = h.own.home.Scheme, h.own.home.Host
		prefix = strings.TrimSuffix(h.own.home.EscapedPath(), "/")
	case h.baseURL != nil:
		b.scheme, b.host = h.baseURL.Scheme, h.baseURL.Host
		prefix = strings.TrimSuffix(h.baseURL.EscapedPath(), "/") + prefix
	case h.opts.Forwarded:
		if p := r.Header.Get("X-Forwarded-Proto"); p == "https" || p == "http" {
			b.scheme = p
		}
		b.host = h.hostOf(r)
		if p := r.Header.Get("X-Forwarded-Prefix"); strings.HasPrefix(p, "/") {
			prefix = strings.TrimSuffix(p, "/") + prefix
		}
	}
	b.root = prefix + "/"
	if loc.project != "" {
		b.root += loc.project + "/"
	}
	if loc.token != "" {
		b.root += loc.token + "/"
	}
	if loc.snapshot != "" {
		b.root += snapshotPrefix + loc.snapshot + "/"
	}
	return b
}

func validID(id string) bool {
	if len(id) < 1 || len(id) > 63 || id[0] == '-' || id[len(id)-1] == '-' {
		return false
	}
	for i := 0; i < len(id); i++ {
		if c := id[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// Path returns the relative path at which v finds a project, for an iframe:
// "notes/" or, with [Options.Auth] or [Options.Principal], "notes/~…/", which
// shows whoever has it what v may see. Under a handler made by [New], project
// is not looked at and the path is "./" or "~…/". Path asks the Finder; where
// that fails, the path has no token and a visit to it tells why.
func (h *Handler) Path(v Visitor, project sam.ProjectID) string {
	prefix := ""
	if h.site {
		prefix = string(project) + "/"
	}
	if h.opts.Auth != nil || h.opts.Principal != nil || v != (Visitor{}) {
		if app, err := h.find(h.done, v, project); err == nil && app != nil && app.Project != nil {
			return prefix + h.token(app, v) + "/"
		}
	}
	if prefix == "" {
		return "./"
	}
	return prefix
}

// Reload makes open pages of a project load again.
func (h *Handler) Reload(project sam.ProjectID) {
	for _, s := range h.allSites() {
		if s.project.ID() == project {
			s.hub.send(event{kind: "reload"})
		}
	}
}

// Revoke ends the sealed paths given to a person so far, as at log-out, and what their
// pages have going: event streams, WebSockets and requests of functions.js, in the middle of whatever
// they do and with what they left to waitUntil. Calls of bindings are cancelled, and their
// results withheld. End the person's log-in first: who is logged in gets new paths. A path sealed
// with a fixed [Options.Key] is revoked in this process only, until 12 hours after it was issued.
func (h *Handler) Revoke(principal string) {
	h.sealer.revoke(principal, time.Now())
	h.people.revoke(principal)
}

// Close ends event streams and running requests, waits for them, and closes
// the engine if it is the handler's own. Later requests are answered with 503.
// Give it to http.Server.RegisterOnShutdown. It may be called twice.
func (h *Handler) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop()
	h.active.Wait()
	var errs []error
	for _, s := range h.allSites() {
		s.scripts.mu.Lock()
		errs = append(errs, s.scripts.close())
		s.scripts.mu.Unlock()
	}
	if h.engine != nil {
		errs = append(errs, h.engine.Close())
	}
	return errors.Join(errs...)
}

func (h *Handler) allSites() []*site {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*site, 0, len(h.sites))
	for _, s := range h.sites {
		all = append(all, s)
	}
	return all
}
