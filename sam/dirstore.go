package sam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"samkit.dev/internal/durable"
)

var _ Store = (*dirStore)(nil)

// What a directory store keeps for itself, below its directory.
const (
	metaDir   = ".samkit"
	spacesDir = "spaces" // <folder>/log
	trashDir  = "trash"  // spaces whose files are being removed
	tempDir   = "temp"   // files not yet in their place
	seqFile   = "seq"
)

const (
	// pollEvery is how often folders in use are looked at; a look may take a
	// tenth of the time.
	pollEvery = 250 * time.Millisecond
	// idleAfter is how long after the last question a folder counts as in use.
	idleAfter = 5 * time.Second
	// seqBlock is how many versions are used between two writes of seqFile.
	seqBlock = 10_000
)

// A dirStore keeps each space as a folder of people's files, and a log beside it
// that holds all other keys and makes commits atomic.
type dirStore struct {
	root  *os.Root // the directory
	meta  *os.Root // metaDir in it
	lock  *os.File
	blobs *BlobDir
	feed  *Feed

	stop chan struct{} // closed to end the poll
	done chan struct{} // closed when it has ended

	closed atomic.Bool

	mu       sync.Mutex // guards the rest
	spaces   map[string]*dirSpace
	seq      uint64 // of the last version
	reserved uint64 // versions up to it may have been used; in seqFile
}

// OpenDir opens or makes a store in dir that keeps each project as a folder which
// people may edit with their own tools: project "hello" of owner "demo" is the
// folder demo+hello. Everything else is in .samkit, which is not for people.
//
// Edits of people are part of the project at once for ReadFile, Stat, Files and
// every write; a write that expected other contents is a conflict. FS, Revision
// and Watch notice them within a quarter of a second while the project is in use,
// or before its next use. A folder that takes long to look through is looked at
// less often.
//
// Not part of the project, and left alone, are symbolic links, special files,
// files over 1 GiB, names that [CheckFileName] refuses and the folders of version
// control (.git, .hg, .svn, .jj, .bzr). What a project itself writes below such a
// name is kept in .samkit, out of reach of people's tools.
//
// Creating a project where there is a folder takes its files in, if the new
// ones are not in their way. Deleting a project removes its files from the folder.
//
// Commits are durable when they return, but each one costs several writes to the
// disk; package boltstore is faster. Files over 64 KB are kept twice, since
// their contents must not change under who reads them.
//
// One program at a time may have dir open. OpenDir needs file locks, which it
// has on Linux, macOS, the BSDs and Windows.
func OpenDir(dir string) (Store, error) {
	s, err := openDirStore(dir)
	if err != nil {
		return nil, fmt.Errorf("sam: open directory store %s: %w", dir, err)
	}
	return s, nil
}

func openDirStore(dir string) (_ *dirStore, err error) {
	if err := durable.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := &dirStore{feed: NewFeed(), spaces: map[string]*dirSpace{}, stop: make(chan struct{}), done: make(chan struct{})}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if s.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if err := mkdir(s.root, metaDir); err != nil {
		return nil, err
	}
	if s.meta, err = s.root.OpenRoot(metaDir); err != nil {
		return nil, err
	}
	if s.lock, err = s.meta.OpenFile("lock", os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	ok, err := durable.Lock(s.lock)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if !ok {
		return nil, errors.New("it is in use: one program at a time may have it open, and that one only once")
	}
	if err := s.meta.RemoveAll(tempDir); err != nil {
		return nil, err
	}
	for _, name := range []string{tempDir, spacesDir, trashDir} {
		if err := mkdir(s.meta, name); err != nil {
			return nil, err
		}
	}
	if s.blobs, err = OpenBlobDir(s.meta.Name() + "/blobs"); err != nil {
		return nil, err
	}
	if err := s.readSeq(); err != nil {
		return nil, err
	}
	if err := s.emptyTrash(); err != nil {
		return nil, err
	}
	go s.poll()
	return s, nil
}

// mkdir makes a directory durably. A symbolic link of that name is refused.
func mkdir(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = root.Mkdir(name, 0o700)
	} else if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", name)
	}
	if err != nil {
		return err
	}
	return syncDir(root, path.Dir(name)) // whoever made it may not have come to that
}

func (s *dirStore) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	close(s.stop)
	<-s.done
	s.feed.Close()
	s.mu.Lock()
	spaces := s.spaces
	s.spaces = nil
	s.mu.Unlock()
	for _, sp := range spaces {
		sp.settle()
	}
	return s.release()
}

func (s *dirStore) release() error {
	var errs []error
	if s.blobs != nil {
		errs = append(errs, s.blobs.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	if s.meta != nil {
		errs = append(errs, s.meta.Close())
	}
	if s.root != nil {
		errs = append(errs, s.root.Close())
	}
	return errors.Join(errs...)
}

// readSeq goes on after all versions that may have been used.
func (s *dirStore) readSeq() error {
	b, err := s.meta.ReadFile(seqFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.seq, err = strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	}
	s.reserved = s.seq
	return err
}

// nextVersion returns a version that no key ever had.
func (s *dirStore) nextVersion() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seq >= s.reserved {
		next := s.reserved + seqBlock
		if err := s.replace(s.meta, seqFile, strconv.AppendUint(nil, next, 10)); err != nil {
			return 0, err
		}
		s.reserved = next
	}
	s.seq++
	return s.seq, nil
}

// replace makes a file of the store's own durably.
func (s *dirStore) replace(root *os.Root, name string, data []byte) error {
	temp := name + ".new"
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(root, ".")
}

func versionOf(n uint64) Version { return Version(strconv.FormatUint(n, 10)) }

// space returns what the store knows of a space, locked and read.
func (s *dirStore) space(ctx context.Context, name string) (*dirSpace, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sp := s.known(name, true)
	if sp == nil {
		return nil, fs.ErrClosed
	}
	sp.mu.Lock()
	err := sp.load()
	if s.closed.Load() {
		err = fs.ErrClosed
	}
	if err != nil {
		sp.mu.Unlock()
		return nil, err
	}
	return sp, nil
}

// known returns a space that was used before, or makes one. It returns nil if
// there is none.
func (s *dirStore) known(name string, add bool) *dirSpace {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp := s.spaces[name]
	if sp == nil && add && s.spaces != nil {
		sp = &dirSpace{s: s, name: name, dir: dirName(name)}
		s.spaces[name] = sp
	}
	return sp
}

// poll looks for edits of people in the folders in use.
func (s *dirStore) poll() {
	defer close(s.done)
	wait := pollEvery
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(wait):
		}
		start := time.Now()
		s.mu.Lock()
		var used []*dirSpace
		for name, sp := range s.spaces {
			if start.UnixNano()-sp.asked.Load() < int64(idleAfter) || s.feed.watched(name) {
				used = append(used, sp)
			}
		}
		s.mu.Unlock()
		for _, sp := range used {
			select {
			case <-s.stop:
				return
			default:
			}
			// A folder that can't be read now is asked about again; who uses the
			// project gets the error.
			sp.look()
		}
		wait = max(pollEvery, 10*time.Since(start))
	}
}

func (s *dirStore) Space(name string) Space { return dirHandle{s, name} }
func (s *dirStore) Blobs() Blobs            { return s.blobs }

func (s *dirStore) Spaces(ctx context.Context, prefix, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		names, err := s.names(ctx)
		if err != nil {
			yield("", err)
			return
		}
		for _, n := range names {
			if !strings.HasPrefix(n, prefix) || n <= after {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}

// names returns the names of all spaces, sorted.
func (s *dirStore) names(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.closed.Load() {
		return nil, fs.ErrClosed
	}
	dirs, err := fs.ReadDir(s.meta.FS(), spacesDir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range dirs {
		name, err := s.nameInLog(logPath(d.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // made or dropped just now, or left by a crash
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func logPath(dir string) string { return spacesDir + "/" + dir + "/log" }

var errStop = errors.New("stop")

// nameInLog returns the name of a space. The name of its folder may be a hash.
func (s *dirStore) nameInLog(path string) (name string, err error) {
	f, err := s.meta.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	found := false
	_, err = readLog(f, info.Size(), func(r logRecord) error {
		name, found = r.space, r.kind == recSpace
		return errStop
	})
	if err != nil && !errors.Is(err, errStop) {
		return "", err
	}
	if !found {
		return "", fs.ErrNotExist
	}
	return name, nil
}

func (s *dirStore) Drop(ctx context.Context, name string) error {
	sp, err := s.space(ctx, name)
	if err != nil {
		return err
	}
	defer sp.mu.Unlock()
	if sp.exists {
		err = sp.remove()
		if !sp.exists {
			s.feed.Drop(name)
		}
	} else {
		err = sp.emptyTrash()
	}
	if err != nil {
		return fmt.Errorf("sam: drop: %w", err)
	}
	return nil
}
