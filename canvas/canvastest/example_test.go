package canvastest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"samkit.dev/canvas"
	"samkit.dev/canvas/canvastest"
	"samkit.dev/sam"
)

// A printer stands for the *testing.T of a test.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// The stack under test is the one that the program serves.
func ExampleCheck() {
	store := sam.NewMemStore()
	defer store.Close()
	app, err := sam.NewWorkspace(store, "demo", nil).Create(context.Background(), "notes", sam.Files{"index.html": "<h1>Notes</h1>"})
	if err != nil {
		log.Fatal(err)
	}
	apps, err := canvas.New(canvas.App{Project: app}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer apps.Close()
	mux := http.NewServeMux()
	canvas.Mount(mux, "/notes/", apps)

	canvastest.Check(printer{}, mux, "/notes/", nil) // in a test: t in the place of printer{}
	fmt.Println("ok")
	// Output: ok
}
