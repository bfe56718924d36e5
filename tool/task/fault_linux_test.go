//go:build amd64 || arm64

package task

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"samkit.dev/internal/iofault"
)

// serveFaults is the child of TestPower.
func serveFaults() {
	iofault.Serve(func(dir string, seed uint64) any {
		if err := promoteOnce(dir, seed == 0); err != nil {
			return err.Error()
		}
		return ""
	})
}

var (
	powerBefore = map[string]string{
		"changed": "old", "same": "s", "gone": "g", "in/a/gone": "g", "in/stays": "s", "file": "f", "folder/x": "x", "folder/y/z": "z", "moved/from": "contents",
	}
	powerAfter = map[string]string{
		"changed": "new", "same": "s", "in/stays": "s", "in/b/c/new": "n", "file/in": "f", "folder": "a file", "moved/to": "contents",
	}
)

// promoteOnce makes powerAfter of an empty directory's powerBefore, which is on the disk, and then a file "told".
func promoteOnce(dir string, only bool) error {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	blobs := map[string][]byte{}
	entries := func(files map[string]string) map[string]entry {
		all := map[string]entry{}
		for name, text := range files {
			e := entry{hashOf([]byte(text)), int64(len(text)), 0o644}
			all[name], blobs[e.hash] = e, []byte(text)
		}
		return all
	}
	before, after := entries(powerBefore), entries(powerAfter)
	for _, name := range slices.Sorted(maps.Keys(before)) { // always the same calls
		if err := writeEntry(r, name, before[name], blobs[before[name].hash]); err != nil {
			return err
		}
	}
	f, err := r.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil || only {
		return err
	}
	var edits []replace
	for _, name := range changed(before, after) {
		edits = append(edits, replace{name, at(before, name), at(after, name)})
	}
	d := &directory{disk{root: r}}
	unlock, err := d.lock(context.Background())
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.disk.change(context.Background(), edits, func(hash string) ([]byte, error) { return blobs[hash], nil }); err != nil {
		return err
	}
	return r.WriteFile("told", nil, 0o644)
}

// The power goes before each change: the directory is before or after once it was recovered, and after if the run had
// been told to have succeeded.
func TestPower(t *testing.T) {
	p := iofault.Start(t)
	top := tempRoot(t).Name()
	var msg string
	fresh := func() string {
		for _, name := range []string{"d", "image"} {
			if err := os.RemoveAll(filepath.Join(top, name)); err != nil {
				t.Fatal(err)
			}
		}
		dir := filepath.Join(top, "d")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	begin := p.Run(t, fresh(), 0, iofault.Plan{}, &msg).Calls
	if msg != "" {
		t.Fatal(msg)
	}
	total := p.Run(t, fresh(), 1, iofault.Plan{}, &msg).Calls
	if msg != "" || total < begin+20 {
		t.Fatalf("%s, %d calls, then %d", msg, begin, total)
	}
	seen := map[string]int{}
	for _, left := range []iofault.Left{iofault.Least, iofault.Names, iofault.Mixed} {
		for crash := begin + 1; crash <= total; crash++ {
			trace := p.Run(t, fresh(), 1, iofault.Plan{CrashAt: crash, Left: left, Image: filepath.Join(top, "image")}, &msg)
			r, err := os.OpenRoot(filepath.Join(top, "image"))
			if err != nil {
				t.Fatalf("crash at %d: %v", crash, err)
			}
			if err := Recover(t.Context(), r); err != nil {
				t.Fatalf("%s, crash at %d, %s: %v\n%v", left, crash, trace.Hit, err, state(t, r))
			}
			got := state(t, r)
			r.Close()
			_, told := got["told"]
			delete(got, "told")
			switch {
			case maps.Equal(got, powerAfter):
				seen["after"]++
			case maps.Equal(got, powerBefore) && !told && filepath.Base(trace.Hit) != "told)":
				seen["before"]++
			default:
				t.Fatalf("%s, crash at %d, %s: %v", left, crash, trace.Hit, got)
			}
		}
	}
	t.Logf("%d calls; %v", total-begin, seen)
	if seen["before"] == 0 || seen["after"] == 0 {
		t.Error(seen)
	}
}
