package canvastest_test

import (
	"net/http"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/canvastest"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// TestMain of the program's tests calls engine.Main, as its main does: Hostile's cases then run in workers.
func ExampleHostile() {
	_ = func(t *testing.T) { // TestHostile of the program
		const wall = 2 * time.Second
		eng, err := engine.New(&engine.Options{Limits: engine.Limits{CPU: 200 * time.Millisecond, Wall: wall, Memory: 64 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		defer eng.Close()
		store := sam.NewMemStore()
		defer store.Close()
		ws := sam.NewWorkspace(store, "test", nil)
		mux := http.NewServeMux() // in a test: the program's own routes, with their middleware
		deploy := func(name string, files sam.Files) (string, error) {
			p, err := ws.Create(t.Context(), sam.ProjectID(name), files)
			if err != nil {
				return "", err
			}
			apps, err := canvas.New(canvas.App{Project: p}, &canvas.Options{Engine: eng})
			if err != nil {
				return "", err
			}
			t.Cleanup(func() { apps.Close() })
			canvas.Mount(mux, "/"+name+"/", apps)
			return "/" + name + "/", nil
		}
		canvastest.Hostile(t, mux, deploy, &canvastest.HostileOptions{Wall: wall})
	}
}
