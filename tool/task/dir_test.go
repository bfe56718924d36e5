package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tempRoot is an empty directory, in memory if there is such a place: what is looked at needs no disk.
func tempRoot(t *testing.T) *os.Root {
	t.Helper()
	dir := t.TempDir()
	if shm, err := os.MkdirTemp("/dev/shm", "task-test-"); err == nil {
		dir = shm
		t.Cleanup(func() { os.RemoveAll(shm) })
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// fill makes a directory hold files, and nothing else. A name that ends in "@" is a link, one in "*" can be run.
func fill(t *testing.T, r *os.Root, files map[string]string) {
	t.Helper()
	err := walk(r, func(name string, _ fs.FileInfo) (bool, error) {
		if !strings.Contains(name, "/") {
			return false, r.RemoveAll(name)
		}
		return false, nil
	})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		e := entry{mode: 0o644}
		plain := strings.TrimRight(name, "@*")
		switch {
		case strings.HasSuffix(name, "@"):
			e.mode = fs.ModeSymlink
		case strings.HasSuffix(name, "*"):
			e.mode = 0o755
		}
		err = errors.Join(err, writeEntry(r, plain, e, []byte(files[name])))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// state is what a directory holds, as fill has it. Folders that are empty do not count.
func state(t *testing.T, r *os.Root) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := walk(r, func(name string, info fs.FileInfo) (bool, error) {
		if info.IsDir() {
			return true, nil
		}
		_, data, err := readEntry(r, name, info, 1<<20)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			name += "@"
		case info.Mode()&0o111 != 0 && runtime.GOOS != "windows":
			name += "*"
		}
		files[name] = string(data)
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func links(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
}

var (
	dirBefore = map[string]string{
		"same": "s", "changed": "old", "gone": "g", "in/a/gone": "g", "in/stays": "s", "tool*": "#!/bin/sh", "mode": "m",
		"link@": "same", "file": "f", "folder/x": "x", "folder/y/z": "z", "moved/from": "contents",
	}
	dirAfter = map[string]string{
		"same": "s", "changed": "new", "in/stays": "s", "in/b/c/new": "n", "tool*": "#!/bin/bash", "mode*": "m",
		"link@": "changed", "file/in": "f", "folder": "now a file", "moved/to": "contents", "new@": "same",
	}
)

// become runs a task that makes a directory what after says.
func become(t *testing.T, g Ground, after map[string]string) (*Run, error) {
	t.Helper()
	backend := checkoutBackend(func(dir string) error {
		r, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer r.Close()
		fill(t, r, after)
		return nil
	})
	stage := NewStage("s", func(ctx context.Context, w *Work, in int) (int, error) {
		x, err := w.Exec(ctx, "fill")
		return x.Code, err
	}, nil)
	tk, err := Define("t", Policy{Writable: []string{"**"}, Commands: [][]string{{"fill"}}}, stage)
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := tk.Run(context.Background(), g, 0, &RunOptions{Backend: backend})
	return run, err
}

type checkoutBackend func(dir string) error

func (checkoutBackend) Name() string { return "checkout" }
func (b checkoutBackend) Run(ctx context.Context, c *Command) (Outcome, error) {
	dir, err := c.Checkout(ctx)
	if err == nil {
		err = b(dir)
	}
	return Outcome{}, err
}

func TestDir(t *testing.T) {
	links(t)
	r := tempRoot(t)
	fill(t, r, dirBefore)
	run, err := become(t, Dir(r), dirAfter)
	if err != nil {
		t.Fatal(err)
	}
	if got := state(t, r); !maps.Equal(got, dirAfter) {
		t.Errorf("%v\n%+v", got, run.Stages[0].Refused)
	}
	if _, err := r.Lstat(own); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", own, err)
	}
	if slices.Contains(run.Promoted, "same") || slices.Contains(run.Promoted, "in/stays") {
		t.Errorf("unchanged files were written: %v", run.Promoted)
	}
	if _, err := r.Lstat("in/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an emptied folder is left: %v", err)
	}
}

// killed ends the program of a test.
type killed struct{}

// killAt returns a point at which the program dies at the nth change, and how many it has seen.
func killAt(n int) (point func(op, name string) error, seen *int) {
	seen = new(int)
	return func(op, name string) error {
		if *seen++; *seen == n {
			panic(killed{})
		}
		return nil
	}, seen
}

// dies calls fn and reports whether it was killed.
func dies(fn func()) (dead bool) {
	defer func() {
		switch v := recover(); v.(type) {
		case nil:
		case killed:
			dead = true
		default:
			panic(v)
		}
	}()
	fn()
	return false
}

// rewrites are the changes that make dirAfter of dirBefore, and their contents.
func rewrites(t *testing.T) (edits []replace, load func(string) ([]byte, error)) {
	t.Helper()
	blobs := map[string][]byte{}
	scan := func(files map[string]string) map[string]entry {
		r := tempRoot(t)
		fill(t, r, files)
		all := map[string]entry{}
		err := walk(r, func(name string, info fs.FileInfo) (bool, error) {
			if info.IsDir() {
				return true, nil
			}
			e, data, err := readEntry(r, name, info, 1<<20)
			all[name], blobs[e.hash] = e, data
			return true, err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before, after := scan(dirBefore), scan(dirAfter)
	for _, name := range changed(before, after) {
		edits = append(edits, replace{name, at(before, name), at(after, name)})
	}
	return edits, func(hash string) ([]byte, error) { return blobs[hash], nil }
}

// change makes the edits as promoting does.
func change(t *testing.T, d *directory, edits []replace, load func(string) ([]byte, error)) error {
	t.Helper()
	unlock, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	return d.disk.change(t.Context(), edits, load)
}

// Killed at every change, and again at every change of the recovery, the directory is what it was
// or what it was to be.
func TestKilled(t *testing.T) {
	links(t)
	r := tempRoot(t)
	edits, load := rewrites(t)
	seen := map[string]int{}
	for n := 1; ; n++ {
		var again int
		for again = 0; ; again++ {
			if again > 0 && (n+again)%5 != 0 && os.Getenv("SAMKIT_TASK_OPERATIONS") == "" {
				continue // a fifth of the pairs, by default
			}
			fill(t, r, dirBefore)
			point, _ := killAt(n)
			if !dies(func() { change(t, &directory{disk{r, point}}, edits, load) }) {
				break
			}
			if again > 0 {
				point, count := killAt(again)
				if !dies(func() { (&directory{disk{r, point}}).recover(t.Context()) }) && again > *count {
					break
				}
			}
			if err := Recover(t.Context(), r); err != nil {
				t.Fatalf("killed at %d and %d: %v", n, again, err)
			}
			switch got := state(t, r); {
			case maps.Equal(got, dirBefore):
				seen["before"]++
			case maps.Equal(got, dirAfter):
				seen["after"]++
			default:
				t.Fatalf("killed at %d and %d: %v", n, again, got)
			}
		}
		if again == 0 {
			t.Logf("%d changes; %v", n-1, seen)
			break
		}
	}
	if seen["before"] == 0 || seen["after"] == 0 {
		t.Errorf("%v", seen)
	}
}

// A disk that fails, once or from some change on, leaves the directory as it was, or as it was to be if
// that was not told as an error. Killed while it undoes, it is undone later.
func TestFailingDisk(t *testing.T) {
	links(t)
	r := tempRoot(t)
	edits, load := rewrites(t)
	boom := errors.New("input/output error")
	for _, times := range []int{1, 2, 5, 1 << 30} {
		for n := 1; ; n++ {
			fill(t, r, dirBefore)
			seen := 0
			err := change(t, &directory{disk{r, func(op, name string) error {
				if seen++; seen >= n && seen-n < times {
					return fmt.Errorf("%s %s: %w", op, name, boom)
				}
				return nil
			}}}, edits, load)
			if seen < n {
				break
			}
			got := state(t, r)
			if times == 1 || err == nil {
				want := dirBefore
				if err == nil {
					want = dirAfter
				}
				for name := range got {
					if strings.HasPrefix(name, own) {
						delete(got, name)
					}
				}
				if !maps.Equal(got, want) {
					t.Fatalf("failed at %d: %v; the directory has %v", n, err, got)
				}
			}
			if err := Recover(t.Context(), r); err != nil {
				t.Fatalf("failed %d times at %d: %v", times, n, err)
			}
			if got := state(t, r); !maps.Equal(got, dirBefore) && !maps.Equal(got, dirAfter) {
				t.Fatalf("failed %d times at %d: %v", times, n, got)
			}
		}
	}
}

// Killed while it undoes, after a failure at any change, and again at every change of the recovery from that, the directory is what
// it was or what it was to be.
func TestKilledUndoing(t *testing.T) {
	links(t)
	r := tempRoot(t)
	edits, load := rewrites(t)
	boom := errors.New("input/output error")
	seen := map[string]int{}
	// failing changes the directory with a failure at one change, and a kill so many after it.
	failing := func(at, kill int) (dead, failed bool) {
		n := 0
		dead = dies(func() {
			change(t, &directory{disk{r, func(op, name string) error {
				n++
				switch n {
				case at:
					return boom
				case at + kill:
					panic(killed{})
				}
				return nil
			}}}, edits, load)
		})
		return dead, n >= at
	}
	all := os.Getenv("SAMKIT_TASK_OPERATIONS") != ""
	for at := 1; ; at++ {
		fill(t, r, dirBefore)
		if _, failed := failing(at, 1<<30); !failed {
			t.Logf("%d changes; %v", at-1, seen)
			break
		}
		for kill := 1; ; kill++ {
			fill(t, r, dirBefore)
			if dead, _ := failing(at, kill); !dead {
				break
			}
			for again := 1; ; again++ {
				if !all && (at+5*kill+11*again)%83 != 0 { // one in eighty by default
					if again > 200 {
						break
					}
					continue
				}
				fill(t, r, dirBefore)
				failing(at, kill)
				point, count := killAt(again)
				dead := dies(func() { (&directory{disk{r, point}}).recover(t.Context()) })
				if !dead && again > *count && again > 1 { // which has no change that late
					break
				}
				if err := Recover(t.Context(), r); err != nil {
					t.Fatalf("failed at %d, killed %d later and at %d of the recovery: %v", at, kill, again, err)
				}
				switch got := state(t, r); {
				case maps.Equal(got, dirBefore):
					seen["before"]++
				case maps.Equal(got, dirAfter):
					seen["after"]++
				default:
					t.Fatalf("failed at %d, killed %d later and at %d of the recovery: %v", at, kill, again, got)
				}
			}
		}
	}
	if seen["before"] == 0 {
		t.Errorf("%v", seen)
	}
}

// Whatever somebody else writes between two changes is kept, and the run is a conflict or complete.
func TestOthers(t *testing.T) {
	links(t)
	r := tempRoot(t)
	edits, load := rewrites(t)
	for _, name := range []string{"changed", "in/b/c/new", "gone", "folder/mine", "file", "mode", "in/b"} {
		for n := 1; ; n++ {
			fill(t, r, dirBefore)
			seen, wrote := 0, false
			err := change(t, &directory{disk{r, func(string, string) error {
				if seen++; seen == n {
					if dir := filepath.Dir(name); dir != "." {
						r.MkdirAll(dir, 0o755)
					}
					r.Remove(name)
					wrote = r.WriteFile(name, []byte("mine"), 0o644) == nil
				}
				return nil
			}}}, edits, load)
			if seen < n {
				break
			}
			got := state(t, r)
			mine := slices.Contains(slices.Collect(maps.Values(got)), "mine")
			if wrote && !mine {
				t.Fatalf("%s written at %d: it is lost: %v, %v", name, n, got, err)
			}
		}
	}
}

func TestDirSees(t *testing.T) {
	links(t)
	r := tempRoot(t)
	fill(t, r, map[string]string{".git/config": "c", "a": "1", "secret/k": "s", "SECRET2/x": "t", "out@": "/etc/passwd", "a:b": "odd", "sub/.env": "e"})
	var names []string
	stage := NewStage("s", func(ctx context.Context, w *Work, in int) (int, error) {
		all, err := w.Glob("**")
		names = all
		if _, err := w.ReadFile("out"); !errors.Is(err, ErrRefused) {
			t.Errorf("a link was followed: %v", err)
		}
		if err := w.WriteFile(own+"/x", nil); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", own, err)
		}
		return 0, err
	}, nil)
	tk, err := Define("t", Policy{Writable: []string{"**"}, Deny: []string{"secret/**", "secret2/**", "**/.env"}}, stage)
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := tk.Run(t.Context(), Dir(r), 0, nil)
	if err != nil || !slices.Equal(names, []string{"a", "out"}) || !slices.Equal(run.Skipped, []string{"a:b"}) {
		t.Errorf("%v, %v, %v", names, run.Skipped, err)
	}
}

// What a command makes that no file of a ground may be is refused, and taken away.
func TestOddFiles(t *testing.T) {
	links(t)
	r := tempRoot(t)
	fill(t, r, map[string]string{"a": "1", "in/b": "2"})
	backend := checkoutBackend(func(dir string) error {
		return errors.Join(os.Symlink("/etc", filepath.Join(dir, "abs")), os.Symlink("../../x", filepath.Join(dir, "in", "up")),
			os.Symlink("../a", filepath.Join(dir, "in", "ok")), os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "hard")),
			os.Chmod(filepath.Join(dir, "a"), fs.ModeSetuid|0o755), mkfifo(filepath.Join(dir, "pipe")))
	})
	stage := NewStage("s", func(ctx context.Context, w *Work, in int) (int, error) {
		_, err := w.Exec(ctx, "x")
		return 0, err
	}, nil)
	tk, err := Define("t", Policy{Writable: []string{"**"}, Commands: [][]string{{"x"}}}, stage)
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := tk.Run(t.Context(), Dir(r), 0, &RunOptions{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	var refused []string
	for _, x := range run.Stages[0].Refused {
		refused = append(refused, x.What)
	}
	slices.Sort(refused)
	// Both names of the file with the setuid bit have it.
	if want := []string{"a", "abs", "hard", "in/up", "pipe"}; !slices.Equal(refused, want) {
		t.Errorf("refused %v, want %v", refused, want)
	}
	if got, want := state(t, r), map[string]string{"a": "1", "in/b": "2", "in/ok@": "../a"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Random changes, killed or not, with writes of others in between: after each run the directory is one of
// two states, and others' files are there. SAMKIT_TASK_OPERATIONS says how many operations in all.
func TestRandomOperations(t *testing.T) {
	links(t)
	total := 2000
	if s := os.Getenv("SAMKIT_TASK_OPERATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		total = n
	}
	r := tempRoot(t)
	rnd := rand.New(rand.NewPCG(9, 10))
	names := []string{"a", "b", "c", "d/a", "d/b", "d/e/a", "e", "e/a", "e/f/g", "f"}
	seen := map[string]int{}
	for total > 0 {
		fill(t, r, map[string]string{"a": "1", "d/a": "2", "others/x": "keep"})
		steps := min(total, 1+rnd.IntN(200))
		total -= steps
		for steps > 0 {
			n := min(steps, 1+rnd.IntN(20))
			steps -= n
			before := state(t, r)
			after := map[string]string{}
			fn := func(ctx context.Context, w *Work, in int) (int, error) {
				var ids []string
				for range n {
					name := names[rnd.IntN(len(names))]
					switch rnd.IntN(6) {
					case 0, 1, 2:
						w.WriteFile(name, []byte(strconv.Itoa(rnd.IntN(9))))
					case 3:
						w.Remove(name)
					case 4:
						if id, err := w.Snapshot(); err == nil {
							ids = append(ids, id)
						}
					case 5:
						if len(ids) > 0 {
							if err := w.Restore(ids[rnd.IntN(len(ids))]); err != nil {
								return 0, err
							}
						} else {
							w.Rename(name, names[rnd.IntN(len(names))])
						}
					}
				}
				all, err := w.Glob("**")
				for _, name := range all {
					data, rerr := w.ReadFile(name)
					err = errors.Join(err, rerr)
					after[name] = string(data)
				}
				if rnd.IntN(5) == 0 {
					return 0, errors.Join(err, errors.New("the stage fails"))
				}
				return 0, err
			}
			tk, err := Define("t", Policy{Writable: []string{"*", "d/**", "e/**"}}, NewStage("s", fn, nil))
			if err != nil {
				t.Fatal(err)
			}
			point, _ := killAt(1 + rnd.IntN(120))
			var run *Run
			if dies(func() { _, run, err = tk.Run(context.Background(), &directory{disk{r, point}}, 0, nil) }) {
				seen["killed"]++
				if err := Recover(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				if got := state(t, r); !maps.Equal(got, before) && !maps.Equal(got, after) {
					t.Fatalf("killed: %v\nbefore %v\nafter  %v", got, before, after)
				}
				continue
			}
			want := before
			if err == nil {
				want = after
			}
			seen[string(run.Status)]++
			if got := state(t, r); !maps.Equal(got, want) {
				t.Fatalf("%s, %v: %v, want %v", run.Status, err, got, want)
			}
			if rnd.IntN(4) == 0 { // somebody edits
				r.WriteFile("a", []byte("edited"), 0o644)
			}
		}
	}
	t.Log(seen)
	for _, s := range []string{"killed", "succeeded", "failed"} {
		if seen[s] == 0 {
			t.Errorf("none was %s", s)
		}
	}
}

// A journal that came with the files does not write where they could not be.
func TestForeignJournal(t *testing.T) {
	links(t)
	for _, journal := range []string{
		`[{"op":"put","name":".git/hooks/pre-commit","hash":"x"}]`,
		`[{"op":"put","name":"sub/.GIT/config","hash":"x"}]`,
		`[{"op":"put","name":"../out","hash":"x"}]`,
		`[{"op":"put","name":".samkit-task/x","hash":"x"}]`,
		`[{"op":"put","name":"link","mode":134218239,"link":"../../etc/passwd"}]`,
		`[{"op":"chmod","name":"a"}]`,
		`{`,
	} {
		r := tempRoot(t)
		fill(t, r, map[string]string{"a": "1", ".git/config": "c", own + "/journal/journal.json": journal, own + "/journal/put-0*": "evil"})
		before := state(t, r)
		if err := Recover(t.Context(), r); err == nil {
			t.Errorf("%s is done", journal)
		}
		if got := state(t, r); !maps.Equal(got, before) {
			t.Errorf("%s: %v", journal, got)
		}
	}
	r := tempRoot(t)
	fill(t, r, map[string]string{"a": "1", own + "@": "elsewhere", "elsewhere/journal/journal.json": `[]`})
	if err := Recover(t.Context(), r); err == nil {
		t.Error("a link in the journal's place was followed")
	}
}

func TestUnreadable(t *testing.T) {
	links(t)
	if os.Getuid() == 0 {
		t.Skip("root reads all")
	}
	r := tempRoot(t)
	fill(t, r, map[string]string{"a": "1", "b": "2"})
	if err := r.Chmod("b", 0); err != nil {
		t.Fatal(err)
	}
	tk, err := Define("t", Policy{}, NewStage("s", func(ctx context.Context, w *Work, in int) (int, error) { return 0, nil }, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, run, err := tk.Run(t.Context(), Dir(r), 0, nil); err != nil || !slices.Equal(run.Skipped, []string{"b"}) {
		t.Errorf("%v, %v", run.Skipped, err)
	}
}
