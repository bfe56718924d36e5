package workbench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

// A program with a browser lets the agent see what it made: HOST.canvas.screenshot.
func ExampleShot() {
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	browser := func(ctx context.Context, s workbench.Shot) ([]byte, error) {
		fmt.Printf("open /apps/%s/%s in a window of %d × %d\n", s.Project, s.Path, s.Width, s.Height)
		return []byte("\x89PNG"), nil
	}
	ctx := context.Background()
	bench, err := workbench.New(ctx, sam.NewWorkspace(sam.NewMemStore(), "ada", nil), eng, &workbench.Options{Screenshot: browser})
	if err != nil {
		log.Fatal(err)
	}
	defer bench.Close()
	for _, id := range []sam.ProjectID{"notes", "bot"} {
		if _, err := bench.Create(ctx, id, sam.Files{"index.html": ""}); err != nil {
			log.Fatal(err)
		}
	}
	if err := bench.SetAgent(ctx, "bot"); err != nil {
		log.Fatal(err)
	}
	out, err := bench.Host().Call(ctx, "canvas.screenshot", json.RawMessage(`{"project":"notes","path":"about","width":390}`))
	fmt.Printf("%s %v\n", out, err)
	// Output:
	// open /apps/notes/about in a window of 390 × 800
	// {"png":"iVBORw=="} <nil>
}
