// Package canvas serves small web apps over HTTP.
//
//	h, err := canvas.New(canvas.App{Project: app}, nil)
//	canvas.Mount(http.DefaultServeMux, "/hello/", h)
//
// A [Handler] works below any prefix, behind any router, and follows its
// projects: what a commit changes is served with the next request and shown by
// open pages at once.
//
// # Pages
//
// TypeScript and JSX are compiled file by file. Pages, style sheets and module
// specifiers may use URLs from the root of the host, such as "/assets/app.js":
// they are served from the app. A small script, put first into every page,
// does the same for fetch and its kin, stands in for storage where the page's
// origin has none, and sends the page's console to [App.Console].
//
// # functions.js
//
// Requests below /api/, or those that sam.json or wrangler.toml name, are
// answered by the project's functions.js. It sees a URL whose path starts at
// the app's root, whatever the prefix: "https://example.com/api/notes".
//
// # Fetch
//
// functions.js reaches the network only where [App.Fetch] grants it:
//
//	api.example.com          https on port 443
//	api.example.com:8443     https on that port
//	http://api.example.com   http on port 80
//	*.example.com            every name below example.com, but not example.com
//	*                        every public host, by https on port 443
//	127.0.0.1:8080           exactly this address and port, by http and https
//
// Names grant public addresses only: one that leads to a private, loopback or otherwise
// special address is refused, unless that address and port are granted as well.
// Every redirect is checked like the first request. The environment's proxies are not
// used. A request's fetches are bounded in number and size by [App.Limits]; each appears on the
// console and is given to [Options.OnFetch]. In code, fetch follows the Fetch standard, as Workers do; what
// is refused is a TypeError that says which entry would grant it.
//
// # Snapshots
//
// With [App.Snapshot] an app is the files of a checkpoint, functions.js and settings among them, whatever
// is written meanwhile: what visitors see is published, not half edited. KV, databases, secrets and storage of pages are
// those of the project, as they are now. Its pages are found below a path that names
// the checkpoint, "/apps/notes/~at.0000002a-k3vq6w2mzt/", to which visitors are led; of what lies there all but pages is
// "immutable", and asked for once. Pages that are open when the Finder gives another snapshot
// load again when [App.Reload] says so, or with their next heartbeat. A deleted checkpoint is gone within 10 seconds.
//
// # WebSockets and cron triggers
//
// functions.js may answer a request for a WebSocket with one end of a
// WebSocketPair and status 101, as on Workers. A socket has no time limit; each
// message is given what a request is. It ends with the app's session, the
// handler and its worker, so a page should be ready to connect again.
//
// The triggers that sam.json or a wrangler file names run where the program has
// a clock: see [Handler.RunCrons].
//
// # Who is asking
//
// A page in an opaque origin sends no cookies with its own requests. Middleware
// in front of the handler would refuse them. Give it to [Options.Auth] instead:
// it is applied to navigations, and what it established travels in the path,
// sealed. Package canvastest checks a program's own stack for that.
// [http.CrossOriginProtection] in front of the handler refuses the page's own
// POSTs, which have "Origin: null"; put it around the program's other routes.
//
// # Origins
//
// Under [Own] an app has an origin of its own, with storage, cookies and service
// workers: "notes--k3vq6w2mzt5ya4xbn7ce.apps.example.net" is the project notes of one
// owner, and no other owner's. The program mounts the handler as ever and gives it
// the hosts below [Options.Domain] by [Handler.Hosts]; a certificate and a DNS
// record for "*.apps.example.net" lead to the same server.
//
//	h, err := canvas.NewSite(find, &canvas.Options{
//		Origin: canvas.Own, Domain: "apps.example.net", Home: "https://example.com/apps/",
//		Auth: logIn, Principal: who,
//	})
//	canvas.Mount(mux, "/apps/", h)
//	srv.Handler = h.Hosts(mux)
//
// Whoever opens /apps/notes/ is sent on to the app's origin. The program's log-in is
// asked on the way, behind [Options.Auth], and a ticket that holds once, for a minute
// and in that browser alone gives the app's origin a session of its own: 12 hours from
// its last use, until [Handler.Revoke] or the Finder ends it. The Finder decides which
// project is meant, as always; if it is another owner's than the host's, that is 404.
//
// The domain should be one that nobody logs in at, and that browsers know as one below
// which anybody may have a site (https://publicsuffix.org), or pages of two apps can set
// cookies for each other. If it shares a registered domain with the program, only
// cookies whose names start with "__Host-" reach functions.js. On a
// developer's machine Domain is "localhost" and Home "http://localhost:8080/apps/":
// browsers find *.localhost by themselves. A cookie that functions.js sets loses its
// Domain. A program's page that frames apps lists [Handler.FrameSrc].
//
// # Storage of pages
//
// An opaque origin has no localStorage, and pages use it all the time. A stand-in, synchronous
// as the real one, keeps what they store
//
//   - in the page's memory, up to 5 Mi characters; gone when it loads again;
//   - in the program's own localStorage, up to 1 Mi characters, if the app is shown by the
//     framing page: it never reaches the server, and is one app's and one person's;
//   - on the server, up to 256 Ki characters for each person, if sam.json says
//     "localStorage": "server". Of two tabs that change one key the last wins. A visitor of whom
//     nothing is known has none there, unless the program knows nobody at all.
//
// sessionStorage lasts as long as the page, or the frame of the framing page.
//
// # The framing page
//
// Below an app's root, ~frame/ is a page that shows the app in a frame which cannot be
// navigated out of the app: "/apps/notes/~frame/docs/" shows "/apps/notes/docs/". A page at the top can
// give away what it knows by going to another site with it, whatever its policy says; in this
// frame it can't (what is left are DNS, preconnect and WebRTC). Link to it, or frame it in
// turn: to the program it is a URL like the app's own, which also gives the app localStorage.
//
//	<iframe src="/apps/notes/~frame/" title="Notes"></iframe>
//
// Who may frame it, or an app, is said by [Options.Frames]: those origins, beside the program's own.
// Messages { samkit: "workbench" } of the page around it are handed to the app, and one of the app, without anything
// else in it, to that page: a workbench asks its agent so, when the agent's page has said that it listens.
//
// # Paths
//
// Below its prefix a handler owns path elements that start with "~". All others
// are the app's. A path is refused, never cleaned. Never served are
// functions.*, sam.json, wrangler.*, package.json and its lock, scripts/*.md, the folders
// functions, tasks, migrations and node_modules, and names that start with a dot.
//
// # Headers
//
// Every response has a Content-Security-Policy that puts the page into an
// opaque origin and confines it to its app, unless [Options.Origin] says
// otherwise. Response headers of an app pass by an allow-list; cookies do under [Own] alone.
// Of a request's headers functions.js gets neither credentials, cookies and the
// page's address, nor what proxies in front of the program say (X-Forwarded-*,
// CF-*, those of identity proxies and the like): [App.Headers] lists exceptions.
package canvas

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// An App is a project and what it may reach. Only Project is required; its own
// env.KV, env.DB and secrets come with it.
type App struct {
	Project  *sam.Project
	Host     host.Caller              // env.HOST; nil: the app is nobody's agent
	Tool     host.Caller              // env.TOOL; nil: there is no tool session
	Services map[string]host.Caller   // env.CRM.lookup(…); names are upper-case
	KV       map[string]*kv.Namespace // beside or instead of the project's own
	DB       map[string]*sqlshim.DB
	Vars     map[string]string
	Connect  []string        // origins the page may load from and talk to, such as "https://cdn.example"
	Fetch    []string        // what functions.js may fetch, see "Fetch" in the package's documentation; nil means nothing
	Headers  []string        // headers kept from being removed: of requests, such as "Authorization"; under [Trusted] "Set-Cookie" and "WWW-Authenticate" of responses, too
	Limits   engine.Limits   // zero fields are the engine's
	Console  *console.Buffer // nil makes one
	Snapshot string          // a checkpoint of Project that is served, see "Snapshots"; "" follows the project
	Session  string          // sealed into the path and given back in Visitor
	Role     host.Role       // zero means host.App
	Done     <-chan struct{} // closed when the app loses its session; nil means never
	Reload   <-chan struct{} // closed when open pages have to load again; nil means never
}

// A Visitor is who asks, as far as a request proves it.
type Visitor struct {
	Principal string // from Options.Principal; "" if nobody
	Session   string // from App.Session
}

// A Finder returns the app that a visitor gets for a project. It is called for
// every request, by many goroutines, so it is the place where rights end. An
// error matching fs.ErrNotExist is answered with 404, a denied [*host.Error]
// with 403, any other is logged and answered with 500.
type Finder func(ctx context.Context, v Visitor, project sam.ProjectID) (*App, error)

// An Origin is the browser's boundary around an app.
type Origin uint8

// The boundaries.
const (
	Opaque  Origin = iota // CSP sandbox on every response
	Own                   // a host for each app below Options.Domain
	Trusted               // the program's own origin; logs a warning
)

func (o Origin) String() string {
	switch o {
	case Opaque:
		return "opaque"
	case Own:
		return "own"
	case Trusted:
		return "trusted"
	}
	return fmt.Sprintf("Origin(%d)", uint8(o))
}

// Options configures a [Handler]. The zero Options is usable.
type Options struct {
	Engine    *engine.Engine                  // nil means one of its own
	Auth      func(http.Handler) http.Handler // the program's middleware, for navigations
	Principal func(*http.Request) string      // read behind Auth; nil means nobody
	Key       []byte                          // 32 bytes that seal paths; nil means random ones
	Origin    Origin
	Domain    string   // for Own: its hosts are below it, such as "apps.example.net"; with a port if that is not Home's
	Home      string   // for Own: where the handler is mounted in the program, such as "https://example.com/apps/"
	BaseURL   string   // scheme, host and removed path prefix, where a proxy hides them
	Forwarded bool     // believe X-Forwarded-Proto, -Host and -Prefix; a proxy must set them
	Frames    []string // origins that may frame an app beside the program's own; "*" is any
	Dev       bool     // show errors and stacks to the visitor
	Requests  bool     // put a line on an app's console for each request that its functions.js answered
	// OnFetch is told of every call of fetch in functions.js when it has ended, by
	// many goroutines. It must not block. Nil means nobody.
	OnFetch func(FetchRecord)
	Logger  *slog.Logger // nil means slog.Default()
}

// Mount registers h for prefix, which starts and ends with a slash. It panics
// on any other prefix, as mux does on a bad pattern.
func Mount(mux *http.ServeMux, prefix string, h http.Handler) {
	if !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/") {
		panic(fmt.Sprintf("canvas: Mount prefix %q does not start and end with a slash", prefix))
	}
	mux.Handle(prefix, http.StripPrefix(prefix[:len(prefix)-1], h))
}

// A BuildError reports errors in the source of an app.
type BuildError struct{ Diagnostics []Diagnostic }

// A Diagnostic is one error at a place in a file.
type Diagnostic struct {
	File         string // "" if it concerns none
	Line, Column int    // from 1; 0 if unknown
	Text         string
	LineText     string // the line of the source, or ""
}

func (d Diagnostic) String() string {
	switch {
	case d.File == "":
		return d.Text
	case d.Line == 0:
		return d.File + ": " + d.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Text)
}

func (e *BuildError) Error() string {
	switch len(e.Diagnostics) {
	case 0:
		return "canvas: the source does not build"
	case 1:
		return "canvas: " + e.Diagnostics[0].String()
	}
	return fmt.Sprintf("canvas: %s (and %d more errors)", e.Diagnostics[0], len(e.Diagnostics)-1)
}
