package canvas

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/netguard"
	"samkit.dev/sam"
)

// authorize finds out who asks and for which app, and answers itself if the
// request may go no further.
func (v *visit) authorize() {
	if v.loc.token != "" {
		v.byToken()
		return
	}
	if v.h.opts.Auth == nil {
		principal := ""
		if v.h.opts.Principal != nil {
			principal = v.h.opts.Principal(v.r)
		}
		v.admitted(principal)
		return
	}
	v.h.auth.ServeHTTP(v.w, v.r.WithContext(context.WithValue(v.r.Context(), visitKey{}, v)))
}

// visitKey is the context key of the visit that passes through Options.Auth.
type visitKey struct{}

// probeHeader marks a request that is only asked whose it is. Its value is
// random, and known while the probe runs: no client can send one. A context
// value would not do, since some middleware replaces the context.
const probeHeader = "X-Samkit-Probe"

// behindAuth is what Options.Auth is wrapped around.
func (h *Handler) behindAuth(w http.ResponseWriter, r *http.Request) {
	principal := ""
	if h.opts.Principal != nil {
		principal = h.opts.Principal(r)
	}
	if id := r.Header.Get(probeHeader); id != "" {
		if p, ok := h.probes.Load(id); ok {
			*p.(*string) = principal
			return
		}
	}
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok { // a middleware replaced the context
		if v, ok = h.visit(w, r); !ok {
			return
		}
		defer v.end()
	}
	v.w, v.r = w, r
	v.admitted(principal)
}

// admitted goes on with a request that carries no token, as principal.
func (v *visit) admitted(principal string) {
	if !v.isolated() {
		return
	}
	// Somebody else's page must not act for this person, nor run as a script what
	// only they may see. The app's own pages are below a token, which that page cannot know.
	foreign := v.h.crossOrigin.Check(v.r) != nil || v.r.Header.Get("Sec-Fetch-Site") == "cross-site" && !navigation(v.r) || v.strangeSocket()
	if foreign && (principal != "" || v.h.opts.Auth != nil) {
		v.fail(http.StatusForbidden, failure{Code: "denied", Message: "This request comes from another site."})
		return
	}
	v.who = Visitor{Principal: principal}
	if !v.find() {
		return
	}
	sealed := v.h.own == nil && (principal != "" || v.h.opts.Auth != nil || v.app.Session != "")
	if sealed && v.showsPage() {
		v.redirect(http.StatusFound, v.loc.top()+v.h.token(v.app, v.who)+"/"+escape(v.loc.name)+query(v.r))
		return
	}
	v.serve()
}

// showsPage reports whether a request without a token should be sent to a path
// with one, so that what the page asks for carries it.
func (v *visit) showsPage() bool {
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		return false
	}
	if navigation(v.r) {
		return true
	}
	if v.r.Header.Get("Sec-Fetch-Mode") != "" || v.r.Header.Get("Origin") != "" {
		return false
	}
	// A program, not a browser: its calls of the API are answered in place.
	gen, err := v.generation()
	return err != nil || !gen.config.functionsFirst("/"+v.loc.name)
}

// byToken goes on with a request whose path is sealed.
func (v *visit) byToken() {
	g, err := v.h.sealer.open(v.loc.token, time.Now())
	if err != nil || g.Project != v.loc.project {
		v.expired()
		return
	}
	if !v.isolated() {
		return
	}
	v.who = Visitor{Principal: g.Principal, Session: g.Session}
	get := v.r.Method == http.MethodGet && navigation(v.r)
	if get {
		if shown := v.h.shown(v.r); shown != "" && shown != g.Principal {
			v.redirect(http.StatusFound, v.above())
			return
		}
	}
	if !v.find() {
		return
	}
	if v.app.Session != g.Session || role(v.app) != g.Role {
		v.expired()
		return
	}
	if get && time.Since(time.Unix(0, g.Issued)) > tokenLife/2 {
		v.redirect(http.StatusFound, v.outside()+v.h.token(v.app, v.who)+"/"+escape(v.loc.name)+query(v.r))
		return
	}
	v.serve()
}

// expired answers for a token that does not hold: people are sent on to where
// they get a new one.
func (v *visit) expired() {
	if v.r.Method == http.MethodGet && navigation(v.r) {
		v.redirect(http.StatusFound, v.above())
		return
	}
	v.fail(http.StatusForbidden, failure{Code: "denied", Message: "This path has expired.", Hint: "Load the page again."})
}

// outside is the relative URL of the folder that holds the token.
func (v *visit) outside() string { return outOf(v.loc.top()) }

// above is the relative URL of what was asked for, without the token.
func (v *visit) above() string { return v.outside() + escape(v.loc.name) + query(v.r) }

func escape(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// shown returns the person that a navigation's cookies show, or "".
func (h *Handler) shown(r *http.Request) string {
	if h.opts.Principal == nil || r.Header.Get("Cookie") == "" && r.Header.Get("Authorization") == "" {
		return ""
	}
	if h.opts.Auth == nil {
		return h.opts.Principal(r)
	}
	var principal string
	id := rand.Text()
	h.probes.Store(id, &principal)
	defer h.probes.Delete(id)
	probe := r.Clone(r.Context())
	probe.Header.Set(probeHeader, id)
	probe.Body, probe.ContentLength = http.NoBody, 0
	h.auth.ServeHTTP(&discardWriter{header: http.Header{}}, probe)
	return principal
}

// A discardWriter takes what a middleware answers to a probe.
type discardWriter struct{ header http.Header }

func (w *discardWriter) Header() http.Header         { return w.header }
func (w *discardWriter) Write(p []byte) (int, error) { return len(p), nil }
func (w *discardWriter) WriteHeader(int)             {}

// isolated refuses what a page in an opaque origin cannot have sent: scripts
// and fetches of the host's own pages, which would run the app's code, or read
// it, with the host's rights. Styles, images, fonts and media are let through,
// since Firefox sends some of them as same-origin. Browsers that say nothing
// are let through as well.
func (v *visit) isolated() bool {
	if v.h.opts.Origin != Opaque || !v.ofProgram() {
		return true
	}
	v.h.log.Warn("canvas: refused a request of the program's own page for an app's resource",
		"project", v.loc.project, "path", "/"+v.loc.name, "dest", v.r.Header.Get("Sec-Fetch-Dest"))
	v.fail(http.StatusForbidden, failure{
		Code: "denied", Message: "An app's resources can be used by the app's own pages only.",
		Hint: "This request came from a page of the program's own origin.",
	})
	return false
}

// ofProgram reports whether a request shows that a page with an origin sent it.
func (v *visit) ofProgram() bool {
	if v.r.Header.Get("Service-Worker") != "" {
		return true // what has one
	}
	switch v.r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "same-site":
	default:
		return false
	}
	switch v.r.Header.Get("Sec-Fetch-Dest") {
	case "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet", "object", "embed", "empty", "json":
		return true
	case "":
		return v.r.Header.Get("Sec-Fetch-Mode") != "navigate"
	}
	return false
}

// find asks the Finder for the app, and answers itself if there is none.
func (v *visit) find() bool {
	app, err := v.h.find(v.ctx(), v.who, sam.ProjectID(v.loc.project))
	if err == nil && (app == nil || app.Project == nil) {
		err = errors.New("the Finder returned no project")
	}
	var denied *host.Error
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		v.notFound()
		return false
	case errors.As(err, &denied) && denied.Code == host.Denied:
		v.fail(http.StatusForbidden, failure{Code: "denied", Message: denied.Message, Hint: denied.Hint})
		return false
	case v.ctx().Err() != nil:
		return false // nobody is waiting
	default:
		v.broken("finding the app", err)
		return false
	}
	if err := checkApp(app); err != nil {
		v.broken("the app's settings", err)
		return false
	}
	if v.label != "" && v.h.own.label(app.Project) != v.label {
		v.notFound() // this visitor's project of that name is another
		return false
	}
	v.end() // where a middleware asks twice
	v.app = app
	v.site = v.h.siteOf(app)
	v.pol = v.site.policy(app.Connect)
	return true
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// checkApp reports settings that would not do what they say.
func checkApp(app *App) error {
	if err := checkSources("App.Connect", app.Connect, "https http wss ws"); err != nil {
		return err
	}
	if len(app.Fetch) > 0 { // this is done for every request
		if _, err := netguard.ParseList(app.Fetch); err != nil {
			return fmt.Errorf("canvas: App.Fetch: %w", err)
		}
	}
	for name := range app.Services {
		if name == "" || strings.ToUpper(name) != name {
			return errors.New("canvas: the service " + name + " has a name that is not upper-case")
		}
	}
	return nil
}

func role(app *App) host.Role {
	if app.Role == 0 {
		return host.App
	}
	return app.Role
}

// token seals the path of an app for a visitor.
func (h *Handler) token(app *App, who Visitor) string {
	project := ""
	if h.site {
		project = string(app.Project.ID())
	}
	return h.sealer.seal(grant{
		Project: project, Role: role(app), Principal: who.Principal, Session: app.Session, Issued: time.Now().UnixNano(),
	})
}
