package sam_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/internal/iofault"
	"samkit.dev/sam"
	"samkit.dev/sam/boltstore"
)

// These tests kill a program that writes, at a random moment, and look at what
// it left. SAMKIT_CRASH_ROUNDS says how often for each store; the default is 20.

const crashEnv = "SAMKIT_CRASH_WRITER" // "bolt" or "dir", in the program that is killed

func TestMain(m *testing.M) {
	iofault.Serve(faultWriter)
	if kind := os.Getenv(crashEnv); kind != "" {
		if err := crashWriter(kind, os.Args[1]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func openKind(kind, dir string) (sam.Store, error) {
	if kind == "bolt" {
		return boltstore.Open(dir)
	}
	return sam.OpenDir(dir)
}

const crashWriters = 4

// crashSize is the size of what writer g writes as number n: small, in a blob, or in between.
func crashSize(n int) int {
	return []int{10, 1000, 60 << 10, 100 << 10}[n%4]
}

func crashContents(g, n int) []byte {
	s := fmt.Sprintf("%d %d ", g, n)
	return []byte(s + strings.Repeat("x", crashSize(n)))
}

// crashEdits are files in different folders and one that comes and goes: a
// commit is in all of them or in none.
func crashEdits(g, n int) []sam.Edit {
	data := crashContents(g, n)
	edits := []sam.Edit{
		{Name: fmt.Sprintf("a/%d", g), Data: data, IfHash: "*"},
		{Name: fmt.Sprintf("b/c/%d", g), Data: data, IfHash: "*"},
	}
	odd := sam.Edit{Name: fmt.Sprintf("odd-%d/file", g), IfHash: "*"}
	if odd.Remove = n%2 == 0; !odd.Remove {
		odd.Data = []byte(fmt.Sprint(n))
	}
	return append(edits, odd)
}

// number reads what crashContents wrote.
func number(data []byte) (int, error) {
	f := strings.Fields(string(data[:min(len(data), 40)]))
	if len(f) < 3 {
		return 0, fmt.Errorf("contents %.40q", data)
	}
	n, err := strconv.Atoi(f[1])
	g, err2 := strconv.Atoi(f[0])
	if err = errors.Join(err, err2); err == nil && string(data) != string(crashContents(g, n)) {
		err = fmt.Errorf("%d bytes are not the contents of number %d", len(data), n)
	}
	return n, err
}

// crashWriter writes until it is killed, and prints what was acknowledged.
func crashWriter(kind, dir string) error {
	ctx := context.Background()
	s, err := openKind(kind, dir)
	if err != nil {
		return err
	}
	w := sam.NewWorkspace(s, "o", nil)
	failed := make(chan error)
	for g := range crashWriters {
		go func() {
			id := sam.ProjectID(fmt.Sprint("p", g/2)) // two writers share a project
			p, err := w.Create(ctx, id, nil)
			if errors.Is(err, fs.ErrExist) {
				p, err = w.Open(ctx, id)
			}
			n := 0
			if err == nil {
				if data, rerr := p.ReadFile(ctx, fmt.Sprintf("a/%d", g)); rerr == nil {
					n, err = number(data)
				}
			}
			for n++; err == nil; n++ {
				data := crashContents(g, n)
				if err = p.Apply(ctx, crashEdits(g, n)...); err == nil {
					fmt.Println("file", g, n)
					key := fmt.Sprint("kv/", g)
					_, err = p.State().Space.Commit(ctx, sam.Op{Key: key + "/a", Value: data, If: sam.Any}, sam.Op{Key: key + "/b", Value: data, If: sam.Any})
				}
				if err == nil {
					fmt.Println("key", g, n)
				}
			}
			failed <- err
		}()
	}
	return <-failed
}

func TestCrash(t *testing.T) {
	rounds := 20
	if s := os.Getenv("SAMKIT_CRASH_ROUNDS"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"bolt", "dir"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var acked crashAcks
			for round := range rounds {
				crashRound(t, kind, dir, &acked)
				if err := crashCheck(kind, dir, &acked); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
			total := 0
			for g := range crashWriters {
				total += acked.files[g] + acked.keys[g]
			}
			t.Logf("%d commits acknowledged in %d rounds", total, rounds)
			if total < rounds {
				t.Errorf("the writer did nearly nothing")
			}
		})
	}
}

// crashAcks is the newest number that each writer was told is stored.
type crashAcks struct {
	mu          sync.Mutex // guards the rest
	files, keys [crashWriters]int
}

// crashRound runs the writer and kills it.
func crashRound(t *testing.T, kind, dir string, acked *crashAcks) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, dir)
	cmd.Env = append(os.Environ(), crashEnv+"="+kind)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	var once sync.Once
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer once.Do(func() { close(started) })
		for in := bufio.NewScanner(out); in.Scan(); {
			var what string
			var g, n int
			if _, err := fmt.Sscan(in.Text(), &what, &g, &n); err != nil || what == "error" {
				t.Errorf("the writer says %q", in.Text())
				continue
			}
			acked.mu.Lock()
			if what == "file" {
				acked.files[g] = n
			} else {
				acked.keys[g] = n
			}
			acked.mu.Unlock()
			once.Do(func() { close(started) })
		}
	}()
	select {
	case <-started:
	case <-time.After(30 * time.Second):
		t.Error("the writer wrote nothing")
	}
	time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond)
	cmd.Process.Kill()
	<-read
	cmd.Wait()
}

// crashCheck opens what was left.
func crashCheck(kind, dir string, acked *crashAcks) error {
	ctx := context.Background()
	s, err := openKind(kind, dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if b, ok := s.(*boltstore.Store); ok {
		if err := b.Check(ctx); err != nil {
			return err
		}
	}
	w := sam.NewWorkspace(s, "o", nil)
	for g := range crashWriters {
		p, err := w.Open(ctx, sam.ProjectID(fmt.Sprint("p", g/2)))
		if errors.Is(err, fs.ErrNotExist) && acked.files[g] == 0 {
			continue
		}
		if err != nil {
			return err
		}
		a, err := crashSame(acked.files[g], acked.files[g]+1,
			func() ([]byte, error) { return p.ReadFile(ctx, fmt.Sprintf("a/%d", g)) },
			func() ([]byte, error) { return p.ReadFile(ctx, fmt.Sprintf("b/c/%d", g)) })
		if err != nil {
			return fmt.Errorf("files of writer %d: %w", g, err)
		}
		acked.files[g] = a // the next round goes on from there
		odd, err := p.ReadFile(ctx, fmt.Sprintf("odd-%d/file", g))
		if (err == nil) != (a%2 == 1) || a%2 == 1 && string(odd) != fmt.Sprint(a) {
			return fmt.Errorf("with number %d the odd file of writer %d is %q, %v", a, g, odd, err)
		}
		key := fmt.Sprint("kv/", g)
		get := func(key string) func() ([]byte, error) {
			return func() ([]byte, error) {
				data, _, err := p.State().Space.Get(ctx, key)
				return data, err
			}
		}
		if _, err := crashSame(acked.keys[g], a, get(key+"/a"), get(key+"/b")); err != nil {
			return fmt.Errorf("keys of writer %d: %w", g, err)
		}
		if kind == "dir" && a > 0 {
			data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("o+p%d/a/%d", g/2, g)))
			if n, nerr := number(data); err != nil || nerr != nil || n != a {
				return fmt.Errorf("people see number %d of writer %d, the project has %d: %v, %v", n, g, a, err, nerr)
			}
		}
	}
	return nil
}

// crashSame checks that two things are of the same commit, which is the newest
// acknowledged or a later one, up to the one that was being made.
func crashSame(acked, most int, reads ...func() ([]byte, error)) (int, error) {
	var got []int
	for _, read := range reads {
		n := 0
		data, err := read()
		if err == nil {
			n, err = number(data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		got = append(got, n)
	}
	if got[0] != got[1] {
		return 0, fmt.Errorf("half of a commit is there: numbers %d", got)
	}
	if got[0] < acked {
		return 0, fmt.Errorf("number %d was acknowledged, %d is there", acked, got[0])
	}
	if got[0] > most {
		return 0, fmt.Errorf("number %d is there, the writer came to %d", got[0], most)
	}
	return got[0], nil
}
