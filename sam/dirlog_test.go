package sam

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDirName(t *testing.T) {
	seen := map[string]string{}
	for space, want := range map[string]string{
		"demo/hello": "demo+hello", "": "%", "Demo": "%44emo", "../x": "%2e%2e+x", "con": "%63on", "a\x00": "a%00", "%": "%25", "+": "%2b", "~": "%7e", ".samkit": "%2esamkit",
		strings.Repeat("x", 181): "~" + Hash([]byte(strings.Repeat("x", 181))),
	} {
		got := dirName(space)
		if got != want {
			t.Errorf("dirName(%q) = %q, want %q", space, got, want)
		}
		if other, ok := seen[FoldName(got)]; ok {
			t.Errorf("%q and %q share a folder", space, other)
		}
		seen[FoldName(got)] = space
	}
}

func sampleLog() []byte {
	rec := newRecord("a", []byte("hello"))
	name := newLogRecord(recSpace)
	name.string("p")
	log := name.finish()
	for _, kind := range []byte{recNotice, recCommit} {
		w := newLogRecord(kind)
		for _, c := range []logChange{
			{key: "k", kind: changeValue, version: 1, modTime: time.Unix(1, 2), value: []byte("v")},
			{key: "k2", kind: changeDelete},
			{key: "f/a", kind: changeWrite, version: 2, value: rec.encode()},
			{key: "f/b", kind: changeRemove, old: Hash(nil)},
			{key: "f/c", kind: changeFile, version: 3, file: rec.state()},
			{key: "p", kind: changeTouch, version: 4},
		} {
			w.change(&c)
		}
		log = append(log, w.finish()...)
	}
	w := newLogRecord(recApplied)
	w.string("f/a")
	return append(log, w.finish()...)
}

func FuzzLog(f *testing.F) {
	f.Add(sampleLog())
	f.Add(sampleLog()[:100])
	f.Add(make([]byte, 40))
	f.Fuzz(func(t *testing.T, log []byte) {
		var first []logRecord
		valid, err := readLog(bytes.NewReader(log), int64(len(log)), func(r logRecord) error {
			first = append(first, r)
			for _, c := range r.changes {
				if c.value != nil && !bytes.Equal(log[c.off:c.off+int64(len(c.value))], c.value) {
					t.Errorf("value of %q is not at %d", c.key, c.off)
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errLog) {
			t.Fatalf("error %v", err)
		}
		if valid < 0 || valid > int64(len(log)) {
			t.Fatalf("%d of %d bytes are valid", valid, len(log))
		}
		// What is valid stays so when the rest is cut off.
		n := 0
		again, err := readLog(bytes.NewReader(log[:valid]), valid, func(logRecord) error { n++; return nil })
		if err != nil || again != valid || n != len(first) {
			t.Errorf("cut to %d bytes: %d bytes, %d of %d records, %v", valid, again, n, len(first), err)
		}
	})
}

// FuzzLogPayload gives the parser payloads whose checksums are right.
func FuzzLogPayload(f *testing.F) {
	readLog(bytes.NewReader(sampleLog()), int64(len(sampleLog())), func(logRecord) error { return nil })
	for log := sampleLog(); len(log) > 0; {
		n := logHeader + int(uint32(log[0])<<24|uint32(log[1])<<16|uint32(log[2])<<8|uint32(log[3]))
		f.Add(log[logHeader:n])
		log = log[n:]
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		if len(payload) == 0 {
			return
		}
		log := (&logWriter{append(make([]byte, logHeader), payload...)}).finish()
		readLog(bytes.NewReader(log), int64(len(log)), func(r logRecord) error {
			w := newLogRecord(r.kind)
			switch r.kind {
			case recSpace:
				w.string(r.space)
			case recApplied:
				for _, k := range r.keys {
					w.string(k)
				}
			}
			for _, c := range r.changes {
				w.change(&c)
			}
			copied := w.finish()
			n := 0
			if _, err := readLog(bytes.NewReader(copied), int64(len(copied)), func(logRecord) error { n++; return nil }); err != nil || n != 1 {
				t.Errorf("a record that was read is not read again when written: %v", err)
			}
			return nil
		})
	})
}

// TestDirRedo goes back to the moment between the commit of a log record and
// its effect on people's files.
func TestDirRedo(t *testing.T) {
	files := map[string]string{"f/a": "1", "f/c": "1", "f/d/x": "1"}
	ops := func(files map[string]string) []Op {
		var list []Op
		for key, data := range files {
			op := Op{Key: key, If: Any, Delete: data == ""}
			if data != "" {
				op.Value = newRecord(fileName(key), []byte(data)).encode()
			}
			list = append(list, op)
		}
		return list
	}
	next := map[string]string{"f/a": "2", "f/b/new": "2", "f/c": "", "f/d/x": "", "f/d": "2", "k": "2"}
	for name, tc := range map[string]struct {
		edit func(t *testing.T, folder string) // what was done before the crash, or by people after it
		want map[string]string
	}{
		"nothing done": {func(*testing.T, string) {}, map[string]string{"a": "2", "b/new": "2", "c": "", "d": "2"}},
		"half done": {func(t *testing.T, folder string) {
			set(t, folder, "a", "2")
			set(t, folder, "c", "")
		}, map[string]string{"a": "2", "b/new": "2", "c": "", "d": "2"}},
		"people were faster": {func(t *testing.T, folder string) {
			set(t, folder, "a", "people's")
			set(t, folder, "c", "people's")
			set(t, folder, "b/new", "people's")
		}, map[string]string{"a": "people's", "b/new": "people's", "c": "people's", "d": "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			folder := filepath.Join(dir, "p")
			commit := func(ops []Op) {
				t.Helper()
				s, err := OpenDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Space("p").Commit(t.Context(), ops...); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			commit(ops(files))
			before := t.TempDir()
			if err := os.CopyFS(before, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			commit(ops(next))
			cutApplied(t, filepath.Join(dir, metaDir, spacesDir, "p", "log"))
			if err := errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(before))); err != nil {
				t.Fatal(err)
			}
			tc.edit(t, folder)

			for range 2 { // and it stays so
				s, err := OpenDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for name, want := range tc.want {
					value, _, err := s.Space("p").Get(t.Context(), filePrefix+name)
					got := ""
					if err == nil {
						r, rerr := parseRecord(name, value)
						if rerr != nil {
							t.Fatal(rerr)
						}
						got = string(r.data)
					} else if !errors.Is(err, fs.ErrNotExist) {
						t.Fatal(err)
					}
					disk, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
					if got != want || string(disk) != want {
						t.Errorf("%s is %q, on the disk %q (%v); want %q", name, got, disk, err, want)
					}
				}
				if v, _, err := s.Space("p").Get(t.Context(), "k"); err != nil || len(v) == 0 {
					t.Errorf("k = %q, %v", v, err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// set writes a file of people; no contents remove it.
func set(t *testing.T, folder, name, data string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	err := os.Remove(path)
	if data != "" {
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(data), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// cutApplied removes the last record of a log, which says that a commit's files are written.
func cutApplied(t *testing.T, path string) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []byte
	var ends []int64
	valid, err := readLog(bytes.NewReader(log), int64(len(log)), func(r logRecord) error {
		kinds = append(kinds, r.kind)
		return nil
	})
	if err != nil || valid != int64(len(log)) {
		t.Fatal(valid, len(log), err)
	}
	for off := int64(0); off < valid; {
		off += logHeader + int64(uint32(log[off])<<24|uint32(log[off+1])<<16|uint32(log[off+2])<<8|uint32(log[off+3]))
		ends = append(ends, off)
	}
	last := len(kinds) - 1
	for kinds[last] != recApplied {
		last--
	}
	if err := os.Truncate(path, ends[last-1]); err != nil {
		t.Fatal(err)
	}
}

// TestLogTorn has blocks of the last record missing, as a loss of power leaves
// it: that is the end of the log. Before another record it is damage.
func TestLogTorn(t *testing.T) {
	before := sampleLog()
	w := newLogRecord(recCommit)
	w.change(&logChange{key: "k", kind: changeValue, version: 5, value: bytes.Repeat([]byte("x"), 20<<10)})
	torn := append(bytes.Clone(before), w.finish()...)
	for _, block := range []int{0, 1, 2, 4} {
		log := bytes.Clone(torn)
		clear(log[max(block*4096, len(before)) : (block+1)*4096])
		read := func() (int64, error) {
			return readLog(bytes.NewReader(log), int64(len(log)), func(logRecord) error { return nil })
		}
		if valid, err := read(); err != nil || valid != int64(len(before)) {
			t.Errorf("without block %d: %d bytes of %d are valid, %v", block, valid, len(before), err)
		}
		log = append(log, before...)
		if _, err := read(); !errors.Is(err, errLog) {
			t.Errorf("without block %d, before another record: %v", block, err)
		}
	}
}
