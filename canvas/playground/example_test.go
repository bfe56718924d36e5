package playground_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"samkit.dev/canvas"
	"samkit.dev/canvas/playground"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

func ExampleNew() {
	engine.Main() // first in main
	store := sam.NewMemStore()
	defer store.Close()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	group := workbench.NewGroup(func(ctx context.Context, person string) (*workbench.Bench, error) {
		return workbench.New(ctx, sam.NewWorkspace(store, person, nil), eng, nil)
	})
	defer group.Close()
	apps, err := canvas.NewSite(group.App, &canvas.Options{Engine: eng})
	if err != nil {
		log.Fatal(err)
	}
	defer apps.Close()

	mux := http.NewServeMux()
	canvas.Mount(mux, "/playgrounds/canvas/", apps)
	canvas.Mount(mux, "/playgrounds/", playground.New(group, apps, "canvas/", nil))

	srv := httptest.NewServer(mux)
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/playgrounds/")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, strings.Contains(string(page), "<title>Playground</title>"))
	// Output: 200 OK true
}
