package canvas

import (
	"fmt"
	"testing"

	"samkit.dev/sam"
)

// A deleted checkpoint is served no more, and what few are kept are those used last.
func TestSnapshotsKept(t *testing.T) {
	var app *App
	r := newRig(t, sam.Files{"a.txt": "now"}, nil, nil, func(a *App) { app = a })
	r.Handler.snapshotAge = 0
	var ids []string
	for i := range maxSnapshots + 2 {
		if err := r.project.WriteFile(t.Context(), "a.txt", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		c, err := r.project.Checkpoint(t.Context(), "", sam.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	for round := range 2 {
		for i, id := range ids {
			app.Snapshot = id
			expect(t, r.get("/p/~at."+id+"/a.txt"), 200, fmt.Sprint(i))
		}
		s := r.site0()
		if n := len(s.snapshots.all); n != maxSnapshots || s.snapshots.all[0].snapshot != ids[len(ids)-1] {
			t.Errorf("round %d: %d are kept", round, n)
		}
	}
	if held := r.Handler.held; held > 4*maxSnapshots*1024 {
		t.Errorf("%d bytes are held", held)
	}
	if err := r.project.DeleteCheckpoints(t.Context(), app.Snapshot); err != nil {
		t.Fatal(err)
	}
	expect(t, r.get("/p/~at."+app.Snapshot+"/a.txt"), 404, "not_found")
	if n := len(r.site0().snapshots.all); n != maxSnapshots-1 {
		t.Errorf("%d are kept", n)
	}
	r.site0().chill()
	if !r.site0().snapshots.empty() || r.Handler.held != 0 {
		t.Errorf("%d bytes are held of an idle project", r.Handler.held)
	}
}
