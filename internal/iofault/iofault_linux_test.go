//go:build amd64 || arm64

package iofault

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	Serve(save)
	os.Exit(m.Run())
}

// save replaces a file as it should be done, twice, and says how it went.
func save(dir string, _ uint64) any {
	var errs []string
	for _, contents := range []string{"one one", "two two"} {
		err := saveOnce(dir, contents)
		switch {
		case errors.Is(err, syscall.EIO):
			errs = append(errs, "EIO")
		case errors.Is(err, syscall.ENOSPC):
			errs = append(errs, "ENOSPC")
		case err != nil:
			errs = append(errs, err.Error())
		default:
			errs = append(errs, "")
		}
	}
	return errs
}

func saveOnce(dir, contents string) error {
	f, err := os.Create(filepath.Join(dir, "new"))
	if err != nil {
		return err
	}
	_, err = f.WriteString(contents)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, "file")); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func TestPlans(t *testing.T) {
	p := Start(t)
	for name, c := range map[string]struct {
		plan Plan
		want string // the errors
		hit  string // the call
		left string // what file and new hold then
	}{
		"none":       {Plan{}, " ", "", "two two,"},
		"create":     {Plan{Ops: Changes, At: 1, Errno: syscall.EIO}, "EIO ", "create", "two two,"},
		"second":     {Plan{Ops: Sync, At: 2, Errno: syscall.EIO}, " EIO", "fsync", "one one,two two"},
		"both":       {Plan{Ops: Create, At: 1, For: 2, Errno: syscall.ENOSPC}, "ENOSPC ENOSPC", "create", ","},
		"short":      {Plan{Ops: Write, At: 2, For: 2, Errno: syscall.ENOSPC, Short: true}, " ENOSPC", "write", "one one,two"},
		"directory":  {Plan{Ops: SyncDir, At: 2, Errno: syscall.EIO}, " EIO", "fsync", "two two,"},
		"power":      {Plan{CrashAt: 10}, " EIO", "fsync", "one one,"},
		"names only": {Plan{CrashAt: 8, Left: Names}, " EIO", "fsync", "one one,"},
		"too late":   {Plan{CrashAt: 11}, " ", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "d")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			c.plan.Image = filepath.Join(top, "image")
			var errs []string
			trace := p.Run(t, dir, 1, c.plan, &errs)
			if got := strings.Join(errs, " "); got != c.want {
				t.Errorf("errors %q, want %q", got, c.want)
			}
			if !strings.HasPrefix(trace.Hit, c.hit) || (trace.Hit == "") != (c.hit == "") {
				t.Errorf("hit %q, want %q", trace.Hit, c.hit)
			}
			if c.plan.CrashAt > 0 {
				dir = c.plan.Image
			}
			file, _ := os.ReadFile(filepath.Join(dir, "file"))
			rest, _ := os.ReadFile(filepath.Join(dir, "new"))
			if got := string(file) + "," + strings.Trim(string(rest), "\x00"); c.left != "" && got != c.left {
				t.Errorf("left is %q, want %q", got, c.left)
			}
		})
	}
}

// TestLost has a sync fail, and the next one succeed: what the first one did not
// write is not on the disk.
func TestLost(t *testing.T) {
	n := &node{data: []byte("old")}
	n.lost = map[int64]bool{0: true}
	now := make([]byte, block+3)
	copy(now, "new")
	copy(now[block:], "end")
	n.sync(now)
	if string(n.data[:3]) != "old" || string(n.data[block:]) != "end" {
		t.Errorf("%q … %q", n.data[:3], n.data[block:])
	}
}
