package main

import (
	"errors"
	"html/template"
	"io/fs"
	"log"
	"net/http"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/sam"
)

// A desk is the page that shows a person's bench.
type desk struct {
	group *workbench.Group
	apps  *canvas.Handler
	users *login
}

func (d desk) routes(mux *http.ServeMux) {
	own := http.NewCrossOriginProtection()
	mux.Handle("GET /{$}", d.users.require(d.handler(d.show)))
	mux.Handle("POST /tool", own.Handler(d.users.require(d.handler(d.open))))
	mux.Handle("POST /close", own.Handler(d.users.require(d.handler(d.close))))
}

// handler answers with the bench of the person who asks.
func (d desk) handler(serve func(http.ResponseWriter, *http.Request, *workbench.Bench) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := d.group.Bench(r.Context(), d.users.user(r))
		if err == nil {
			err = serve(w, r, b)
		}
		if err != nil {
			log.Print(err)
			http.Error(w, "That did not work.", http.StatusInternalServerError)
		}
	})
}

// open opens the reader: the person has seen the grant, in words, on the button.
func (d desk) open(w http.ResponseWriter, r *http.Request, b *workbench.Bench) error {
	if _, err := b.OpenTool(r.Context(), "reader", docs); err != nil {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// close ends a tool's rights, in the middle of whatever it does.
func (d desk) close(w http.ResponseWriter, r *http.Request, b *workbench.Bench) error {
	if err := b.CloseTool(r.Context(), r.FormValue("session")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// A frame is a project in a role.
type frame struct {
	Title, Path string
	Words       string // of a tool's grant
	Session     string // of a tool
}

// show shows three canvases, and who called what. A frame's path is sealed for this person and role.
func (d desk) show(w http.ResponseWriter, r *http.Request, b *workbench.Bench) error {
	person := d.users.user(r)
	at := func(session string, id sam.ProjectID) string {
		return "apps/" + d.apps.Path(canvas.Visitor{Principal: person, Session: session}, id)
	}
	agent := b.Agent()
	view := struct {
		Person, Grant string
		Frames        []frame
		Calls         []host.Record
	}{Person: person, Grant: docs.Words(), Frames: []frame{{Title: "Work: " + string(b.Work()), Path: at("", b.Work())}}}
	if agent.ID != "" {
		view.Frames = append(view.Frames, frame{Title: "Agent: " + string(agent.Project), Path: at(agent.ID, agent.Project)})
	}
	for _, s := range b.Sessions() {
		view.Frames = append(view.Frames, frame{"Tool: " + string(s.Project), at(s.ID, s.Project), s.Grant.Words(), s.ID})
	}
	for call, err := range b.Audit(r.Context()) {
		if err != nil {
			return err
		}
		if view.Calls = append(view.Calls, call); len(view.Calls) == 50 {
			break
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return page.Execute(w, view)
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<meta charset=utf-8>
<title>The bench of {{.Person}}</title>
<style>body { font: 15px/1.4 system-ui; margin: 2rem } section { margin-bottom: 1rem } iframe { width: 100%; height: 14rem; border: 1px solid #ccc } td { padding-right: 1rem }</style>
<form method=post action=/logout>{{.Person}} <button>Log out</button> <a href=playground/>Edit in the playground</a></form>
{{range .Frames}}<section>
<h2>{{.Title}}</h2>
{{with .Words}}<p>{{.}}</p>{{end}}{{if .Session}}<form method=post action=/close><button name=session value="{{.Session}}">Close</button></form>{{end}}
<iframe src="{{.Path}}"></iframe>
</section>
{{end}}<form method=post action=/tool><button>Open the reader: {{.Grant}}</button></form>
<h2>Calls</h2>
<table>{{range .Calls}}<tr><td>{{.Time.Format "15:04:05"}}<td>{{.Principal}}<td>{{.Role}} {{.Project}}<td>{{.Func}}<td>{{.On}}<td>{{or .Code "ok"}}{{end}}</table>
`))
