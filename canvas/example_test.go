package canvas_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

func workspace() *sam.Workspace { return sam.NewWorkspace(sam.NewMemStore(), "demo", nil) }

func get(h http.Handler, target string) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w.Result()
}

func body(res *http.Response) string {
	b, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	return string(b)
}

func ExampleNew() {
	app, err := workspace().Create(context.Background(), "hello", sam.Files{
		"index.html":   "<h1>Hello</h1>",
		"functions.js": "export default { fetch(request) { return Response.json({ path: new URL(request.url).pathname }) } }",
	})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	mux := http.NewServeMux()
	canvas.Mount(mux, "/hello/", h)

	fmt.Println(body(get(mux, "/hello/api/notes")))
	// Output: {"path":"/api/notes"}
}

func ExampleNewSite() {
	ws := workspace()
	for _, id := range []sam.ProjectID{"one", "two"} {
		if _, err := ws.Create(context.Background(), id, sam.Files{"name.txt": string(id)}); err != nil {
			log.Fatal(err)
		}
	}
	h, err := canvas.NewSite(func(ctx context.Context, v canvas.Visitor, id sam.ProjectID) (*canvas.App, error) {
		p, err := ws.Open(ctx, id)
		return &canvas.App{Project: p}, err
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()

	fmt.Println(body(get(h, "/two/name.txt")))
	fmt.Println(get(h, "/three/").Status)
	// Output:
	// two
	// 404 Not Found
}

// Each app gets an origin of its own, here on a developer's machine.
func ExampleHandler_Hosts() {
	app, err := workspace().Create(context.Background(), "notes", sam.Files{"index.html": "<h1>Notes</h1>"})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, &canvas.Options{
		Origin: canvas.Own, Domain: "localhost", Home: "http://localhost:8080/notes/",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	mux := http.NewServeMux() // the program's own routes
	canvas.Mount(mux, "/notes/", h)
	root := h.Hosts(mux) // for http.ListenAndServe("localhost:8080", root)

	at := get(root, "http://localhost:8080/notes/").Header.Get("Location")
	fmt.Println(at)
	fmt.Println(strings.Contains(body(get(root, at)), "<h1>Notes</h1>"))
	fmt.Println(get(root, "http://evil.example/notes/").StatusCode)
	// Output:
	// http://notes--ph2gz5qlhf7arncqq53q.localhost:8080/
	// true
	// 421
}

// A page of the program that frames apps says so in its own policy.
func ExampleHandler_FrameSrc() {
	h, err := canvas.NewSite(func(context.Context, canvas.Visitor, sam.ProjectID) (*canvas.App, error) {
		return nil, errors.New("nobody is here")
	}, &canvas.Options{Origin: canvas.Own, Domain: "apps.example.net", Home: "https://example.com/apps/"})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	fmt.Println("default-src 'self'; frame-src " + h.FrameSrc())
	// Output: default-src 'self'; frame-src 'self' https://*.apps.example.net
}

func ExampleMount() {
	mux := http.NewServeMux()
	canvas.Mount(mux, "/apps/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.URL.Path)
	}))
	get(mux, "/apps/notes/")
	// Output: /notes/
}

// A program's log-in is given to the handler, not put in front of it.
func ExampleHandler_Path() {
	app, err := workspace().Create(context.Background(), "notes", sam.Files{"index.html": "<h1>Notes</h1>"})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, &canvas.Options{
		Principal: func(r *http.Request) string { return r.Header.Get("X-User") },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()

	path := h.Path(canvas.Visitor{Principal: "ann"}, "") // for an iframe's src
	fmt.Println(strings.HasPrefix(path, "~"), get(h, "/"+path).Status)
	h.Revoke("ann")
	fmt.Println(get(h, "/"+path+"style.css").Status)
	// Output:
	// true 200 OK
	// 403 Forbidden
}

func ExampleHandler_Revoke() {
	h, err := canvas.NewSite(func(context.Context, canvas.Visitor, sam.ProjectID) (*canvas.App, error) {
		return nil, errors.New("nobody is here")
	}, &canvas.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	http.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		h.Revoke(r.Header.Get("X-User")) // whom the program knows
	})
	// Output:
}

func ExampleHandler_Reload() {
	app, err := workspace().Create(context.Background(), "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	h.Reload("notes") // its open pages load again
	// Output:
}

// Event streams end with the handler, so that Shutdown can.
func ExampleHandler_Close() {
	app, err := workspace().Create(context.Background(), "notes", nil)
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, nil)
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	srv.RegisterOnShutdown(func() { h.Close() })
	fmt.Println(srv.Shutdown(context.Background()))
	fmt.Println(h.Close())
	// Output:
	// <nil>
	// <nil>
}

func ExampleBuildError() {
	app, err := workspace().Create(context.Background(), "bad", sam.Files{"functions.js": "export default {\n  fetch(\n}"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = canvas.New(canvas.App{Project: app}, nil)
	var be *canvas.BuildError
	if errors.As(err, &be) {
		d := be.Diagnostics[0]
		fmt.Println(d.File, d.Line)
	}
	// Output: functions.js 3
}

func ExampleHandler_RunCrons() {
	app, err := workspace().Create(context.Background(), "report", sam.Files{
		"sam.json": `{"crons": ["0 9 * * MON-FRI"]}`,
		"functions.js": `export default {
			scheduled(controller, env) { return env.KV.put("last", new Date(controller.scheduledTime).toISOString()) },
			async fetch(request, env) { return new Response(await env.KV.get("last")) },
		}`,
	})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	// A program does this every minute, with the time of that minute.
	monday := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	if err := h.RunCrons(context.Background(), canvas.Visitor{}, app.ID(), monday); err != nil {
		log.Fatal(err)
	}
	fmt.Println(body(get(h, "/api/last")))
	// Output: 2026-11-30T09:00:00.000Z
}

func ExampleHandler_RunCron() {
	app, err := workspace().Create(context.Background(), "report", sam.Files{
		"functions.js": `export default { scheduled(controller) { throw new Error("no " + controller.cron) } }`,
	})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, &canvas.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	fmt.Println(h.RunCron(context.Background(), canvas.Visitor{}, app.ID(), "0 9 * * *", time.Now()))
	// Output: canvas: the cron trigger "0 9 * * *" of report: workers: exception: Error: no 0 9 * * *
}

// What visitors see is published; the project may be edited meanwhile.
func ExampleApp_snapshot() {
	ctx := context.Background()
	app, err := workspace().Create(ctx, "notes", sam.Files{"app.js": "// version 1"})
	if err != nil {
		log.Fatal(err)
	}
	published, err := app.Checkpoint(ctx, "1.0", sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app, Snapshot: published.ID}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	if err := app.WriteFile(ctx, "app.js", []byte("// half of ver")); err != nil {
		log.Fatal(err)
	}

	res := get(h, "/~at."+published.ID+"/app.js") // where pages find it
	fmt.Println(body(res))
	fmt.Println(res.Header.Get("Cache-Control"))
	// Output:
	// // version 1
	// public, max-age=31536000, immutable
}

func ExampleHandler_Data() {
	ctx := context.Background()
	app, err := workspace().Create(ctx, "notes", sam.Files{
		"functions.js": `export default { async fetch(request, env) {
			await env.DB.exec("CREATE TABLE IF NOT EXISTS notes (text)")
			await env.DB.prepare("INSERT INTO notes VALUES (?)").bind("hello").run()
			return new Response("kept")
		} }`,
	})
	if err != nil {
		log.Fatal(err)
	}
	h, err := canvas.New(canvas.App{Project: app}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	fmt.Println(body(get(h, "/api/")))

	data, err := h.Data(ctx, canvas.Visitor{}, app.ID())
	if err != nil {
		log.Fatal(err)
	}
	// However long this takes, the app does not wait for it.
	err = data.Read(ctx, "DB", sqlshim.Options{Timeout: time.Second, MaxRows: 100}, func(db *sqlshim.DB) error {
		res, err := db.Query(ctx, "SELECT text FROM notes")
		if err == nil {
			fmt.Println(res.Rows)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	namespaces, databases := data.IDs() // for what was there at a checkpoint
	fmt.Println(namespaces, databases)
	// Output:
	// kept
	// [[hello]]
	// map[KV:KV] map[DB:DB]
}
