package sam

import (
	"fmt"
	"runtime"
	"testing"
)

// TestHandleIsSmall weighs handles of projects, of which a program may have many.
func TestHandleIsSmall(t *testing.T) {
	w := NewWorkspace(NewMemStore(), "o", nil)
	const n, most = 2000, 1300 // bytes of each with an index of one file; 1,120 are taken
	for i := range n {
		if _, err := w.Create(t.Context(), ProjectID(fmt.Sprintf("p%d", i)), Files{"index.html": "<p>"}); err != nil {
			t.Fatal(err)
		}
	}
	inUse := func() int64 {
		runtime.GC()
		runtime.GC() // what a cleanup had is garbage by now
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	var all [n]*Project
	for i := range all {
		all[i] = newProject(w, ProjectID(fmt.Sprintf("p%d", i)))
		if _, err := all[i].Info(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	each := (inUse() - before) / n
	t.Logf("a handle takes %d bytes", each)
	if each > most {
		t.Errorf("a handle takes %d bytes", each)
	}
	runtime.KeepAlive(all)
	runtime.KeepAlive(w)
}
