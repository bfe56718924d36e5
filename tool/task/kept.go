package task

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"samkit.dev/internal/durable"
)

// KeptOptions bounds what a Kept holds. Nil and zero fields mean the defaults.
type KeptOptions struct {
	Bytes int64         // of all sandboxes; zero means 1 GiB
	Runs  int           // zero means 20
	Age   time.Duration // after which they go; zero means a week
}

// A Kept is the sandboxes of runs that did not succeed, for people to look into: their files as the stage that
// failed left them, their artifacts and reports, and what [Task.Resume] needs: inputs, and contents of files that were changed. The oldest go when there are too many. It is safe
// for concurrent use. Use one for development; in CI they fill the disk.
type Kept struct {
	dir  string
	opts KeptOptions
	mu   sync.Mutex // held while something is kept or removed
}

// A KeptRun is a sandbox that was kept.
type KeptRun struct {
	ID    string
	Dir   string // of its files, without those that the policy denies: whoever looks may run commands there
	Time  time.Time
	Bytes int64 // of the files
	Run   *Run  // the report; its artifacts' contents are in ArtifactDir
}

// ArtifactDir is the folder with a file for each artifact, of its name.
func (k KeptRun) ArtifactDir() string { return filepath.Join(filepath.Dir(k.Dir), "artifacts") }

// OpenKept opens or makes a directory of kept sandboxes, which is private to the program, and removes what is over
// the limits.
func OpenKept(dir string, opts *KeptOptions) (*Kept, error) {
	var o KeptOptions
	if opts != nil {
		o = *opts
	}
	if o.Bytes < 0 || o.Runs < 0 || o.Age < 0 {
		return nil, fmt.Errorf("task: a limit of KeptOptions is negative")
	}
	if o.Bytes == 0 {
		o.Bytes = 1 << 30
	}
	if o.Runs == 0 {
		o.Runs = 20
	}
	if o.Age == 0 {
		o.Age = 7 * 24 * time.Hour
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	k := &Kept{dir: dir, opts: o}
	left, err := filepath.Glob(filepath.Join(dir, "new-*"))
	if err != nil {
		return nil, err
	}
	for _, name := range left { // of a program that was killed
		if err := removeAll(name); err != nil {
			return nil, err
		}
	}
	return k, k.Sweep()
}

var goodID = regexp.MustCompile(`^run-[a-z2-7]{16}$`)

// Open returns a sandbox by the ID of its run, or an error that matches fs.ErrNotExist.
func (k *Kept) Open(id string) (KeptRun, error) {
	if !goodID.MatchString(id) {
		return KeptRun{}, fmt.Errorf("task: %q is no ID of a run: %w", id, fs.ErrNotExist)
	}
	at := filepath.Join(k.dir, id)
	data, err := os.ReadFile(filepath.Join(at, "report.json"))
	if err != nil {
		return KeptRun{}, fmt.Errorf("task: open what run %s left: %w", id, err)
	}
	run, err := ParseRun(data)
	if err != nil {
		return KeptRun{}, fmt.Errorf("task: open what run %s left: %w", id, err)
	}
	kept := KeptRun{ID: id, Dir: filepath.Join(at, "files"), Run: run}
	if info, err := os.Stat(filepath.Join(at, "report.json")); err == nil {
		kept.Time = info.ModTime()
	}
	err = filepath.WalkDir(at, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			kept.Bytes += info.Size()
		}
		return err
	})
	return kept, err
}

// Has reports whether there is a sandbox of a run.
func (k *Kept) Has(id string) bool {
	if !goodID.MatchString(id) {
		return false
	}
	_, err := os.Stat(filepath.Join(k.dir, id, "report.json"))
	return err == nil
}

// List returns the sandboxes, the newest first.
func (k *Kept) List() ([]KeptRun, error) {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return nil, err
	}
	var all []KeptRun
	for _, e := range entries {
		if !goodID.MatchString(e.Name()) {
			continue
		}
		kept, err := k.Open(e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // discarded just now
		}
		if err != nil {
			return nil, err
		}
		all = append(all, kept)
	}
	slices.SortFunc(all, func(a, b KeptRun) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return b.Run.Started.Compare(a.Run.Started)
	})
	return all, nil
}

// Discard removes a sandbox. If there is none the error matches fs.ErrNotExist.
func (k *Kept) Discard(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.discard(id)
}

func (k *Kept) discard(id string) error {
	if !goodID.MatchString(id) {
		return fmt.Errorf("task: %q is no ID of a run: %w", id, fs.ErrNotExist)
	}
	gone := filepath.Join(k.dir, "new-"+id)
	if err := os.Rename(filepath.Join(k.dir, id), gone); err != nil {
		return err
	}
	return removeAll(gone)
}

// Sweep removes the sandboxes that are over the limits. Keeping one does so too; a program that runs for long
// calls it now and then for those that are too old.
func (k *Kept) Sweep() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sweep()
}

func (k *Kept) sweep() error {
	all, err := k.List()
	if err != nil {
		return err
	}
	var bytes int64
	for i, kept := range all {
		bytes += kept.Bytes
		if i >= k.opts.Runs || bytes > k.opts.Bytes || time.Since(kept.Time) > k.opts.Age {
			if err := k.discard(kept.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// keep writes what a run has left.
func (k *Kept) keep(s *sandbox, files map[string]entry) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	temp := filepath.Join(k.dir, "new-"+s.run.ID)
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("task: keep what run %s left: %w", s.run.ID, err), removeAll(temp))
		}
	}()
	if sizeOf(files) > k.opts.Bytes {
		return fmt.Errorf("%w: its files are larger than %d bytes", ErrLimit, k.opts.Bytes)
	}
	for _, dir := range []string{"files", "artifacts"} {
		if err := os.MkdirAll(filepath.Join(temp, dir), 0o700); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(filepath.Join(temp, "files"))
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, err := s.blobs.get(files[name].hash)
		if err == nil {
			err = writeEntry(root, name, files[name], data)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range s.run.ArtifactNames() {
		if err := os.WriteFile(filepath.Join(temp, "artifacts", name), s.run.Artifact(name), 0o600); err != nil {
			return err
		}
	}
	if err := s.keepState(temp); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temp, "report.json"), s.run.JSON(), 0o600); err != nil {
		return err
	}
	if err := root.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(k.dir, s.run.ID)); err != nil {
		return err
	}
	return k.sweep()
}
