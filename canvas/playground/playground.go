package playground

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/sam"
)

//go:generate go -C ui/gen run .

// heartbeat is how often a silent stream of events says that it lives.
const heartbeat = 15 * time.Second

// A page is the handler. It holds no goroutine: streams of events end with their
// requests or with the group.
type page struct {
	group     *workbench.Group
	apps      *canvas.Handler
	appsPath  string
	principal func(*http.Request) string
	repos     sam.Fetcher // nil if there is none
	key       []byte      // of tokens
	assets    map[string]asset
	templates []template
	log       *slog.Logger
	heartbeat time.Duration
	queries   chan struct{} // holds a token for each query of a database that runs
}

// Options configures the page. Nil means the zero Options.
type Options struct {
	// Principal names the person who asks, as the group knows them; nil means "".
	Principal func(*http.Request) string
	// Repos gets what people import from a code host, such as a [samkit.dev/sam/github.Fetcher].
	// Nil offers no such import.
	Repos sam.Fetcher
}

// New returns the page. It is same-origin with the program, so the program's
// middleware goes in front of it; apps is the handler of the group's canvases,
// mounted at appsPath, relative to the page, without that middleware. The handler
// needs no closing: its streams end when g is closed.
func New(g *workbench.Group, apps *canvas.Handler, appsPath string, opts *Options) http.Handler {
	return newPage(g, apps, appsPath, opts).routes()
}

func newPage(g *workbench.Group, apps *canvas.Handler, appsPath string, opts *Options) *page {
	if g == nil || apps == nil {
		panic("playground: New needs a group and the handler of its canvases")
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Principal == nil {
		o.Principal = func(*http.Request) string { return "" }
	}
	p := &page{
		group: g, apps: apps, appsPath: appsPath, principal: o.Principal, repos: o.Repos,
		key: make([]byte, 32), assets: loadAssets(), templates: loadTemplates(),
		log: slog.Default(), heartbeat: heartbeat, queries: make(chan struct{}, maxQueries),
	}
	rand.Read(p.key)
	return p
}

func (p *page) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.servePage)
	mux.HandleFunc("GET /dist/{name}", p.serveAsset)

	api := func(pattern string, h func(*call) error) {
		mux.Handle(pattern, p.guard(h))
	}
	api("GET /api/session", p.session)
	api("GET /api/templates", p.listTemplates)
	api("GET /api/projects", p.listProjects)
	api("POST /api/projects", p.createProject)
	api("DELETE /api/projects/{id}", p.deleteProject)
	api("POST /api/packages", p.importPackage)
	api("POST /api/repos", p.importRepo)
	api("POST /api/projects/{id}/clone", p.cloneProject)
	api("GET /api/projects/{id}/package", p.exportPackage)
	api("GET /api/projects/{id}/search", p.search)
	api("PUT /api/work", p.setWork)
	api("GET /api/projects/{id}", p.showProject)
	api("GET /api/projects/{id}/file", p.readFile)
	api("PUT /api/projects/{id}/file", p.writeFile)
	api("GET /api/projects/{id}/raw", p.readRaw)
	api("PUT /api/projects/{id}/raw", p.writeRaw)
	api("POST /api/projects/{id}/edits", p.applyEdits)
	api("POST /api/projects/{id}/reload", p.reloadCanvas)
	api("GET /api/projects/{id}/console", p.readConsole)
	api("DELETE /api/projects/{id}/console", p.clearConsole)
	api("GET /api/projects/{id}/connect", p.readConnect)
	api("PUT /api/projects/{id}/connect", p.setConnect)
	p.checkpointRoutes(api)
	p.dataRoutes(api)
	p.terminalRoutes(api)
	api("GET /api/roles", p.showRoles)
	api("GET /api/roles/candidates", p.listCandidates)
	api("PUT /api/agent", p.setAgent)
	api("POST /api/tools", p.openTool)
	api("POST /api/tools/{session}/grants", p.widenTool)
	api("DELETE /api/tools/{session}", p.closeTool)
	api("POST /api/approvals/{id}", p.decide)
	api("POST /api/questions/{id}", p.answer)
	api("DELETE /api/denials/{id}", p.dismissDenial)
	api("POST /api/turn/undo", p.undoTurn)
	api("POST /api/turn/redo", p.redoTurn)
	api("GET /api/audit", p.readAudit)
	api("GET /api/events", p.events)
	api("/api/", func(*call) error { return notFound("There is no such function.") })
	return mux
}
