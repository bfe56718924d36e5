package sam_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"samkit.dev/sam"
)

// An archiveFetcher has one repository.
type archiveFetcher []byte

func (a archiveFetcher) Fetch(ctx context.Context, owner, repo, ref string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(a)), nil
}

// tarball returns an archive as code hosts make them, with the commit in front.
func tarball(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	global := tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": "0123456789abcdef0123456789abcdef01234567"}}
	for _, h := range append([]tar.Header{global}, headers...) {
		data := h.PAXRecords["test.data"]
		delete(h.PAXRecords, "test.data")
		if h.Typeflag == tar.TypeReg || h.Typeflag == 0 {
			h.Size, h.Mode = int64(len(data)), 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg || h.Typeflag == 0 {
			io.WriteString(w, data)
		}
	}
	w.Close()
	gz.Close()
	return b.Bytes()
}

func tarFile(name, data string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, PAXRecords: map[string]string{"test.data": data}}
}

func repoArchive(t testing.TB) []byte {
	long := "hello-0123456/" + strings.Repeat("deep/", 40) + "x.js"
	return tarball(t,
		tar.Header{Typeflag: tar.TypeDir, Name: "hello-0123456/", Mode: 0o755},
		tarFile("hello-0123456/README.md", "read me"),
		tar.Header{Typeflag: tar.TypeSymlink, Name: "hello-0123456/app/link", Linkname: "/etc/passwd"},
		tarFile("hello-0123456/app/index.html", "<h1>hello</h1>"),
		tarFile("hello-0123456/app/media/large.bin", noise(1, 200<<10)),
		tarFile("hello-0123456/application/other", "not below app"),
		tarFile("hello-0123456/aux/con.c", "which only matters if it is wanted"),
		tarFile(long, "a name that needs a pax header"),
		tar.Header{Typeflag: tar.TypeSymlink, Name: "hello-0123456/out", Linkname: "../.."},
	)
}

func TestImportRepo(t *testing.T) {
	stores(t, func(t *testing.T, s sam.Store) {
		ctx := t.Context()
		w := sam.NewWorkspace(s, "o", nil)
		f := archiveFetcher(repoArchive(t))
		p, dropped, err := w.ImportRepo(ctx, "app", f, "octo/hello@v1:app")
		if err != nil || !slices.Equal(dropped, []string{"link"}) {
			t.Fatal(dropped, err)
		}
		wantNames(t, p, "index.html", "media/large.bin")
		wantFile(t, p, "media/large.bin", noise(1, 200<<10))
		var name *sam.NameError
		if _, _, err := w.ImportRepo(ctx, "all", f, "octo/hello"); !errors.As(err, &name) || name.Name != "aux/con.c" {
			t.Errorf("a name that no project has: %v", err)
		}
		if _, _, err := w.ImportRepo(ctx, "new", f, "octo/hello:nothing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a missing folder: %v", err)
		}
		if _, _, err := w.ImportRepo(ctx, "app", f, "octo/hello:app"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a project: %v", err)
		}
		if got := ids(t, w); !slices.Equal(got, []sam.ProjectID{"app"}) {
			t.Errorf("projects %q", got)
		}
	})
}

func TestImportRepoRefusals(t *testing.T) {
	good := repoArchive(t)
	top := func(headers ...tar.Header) []byte {
		return tarball(t, append(headers, tarFile("r/index.html", "x"))...)
	}
	var many []tar.Header
	for range 10_001 {
		many = append(many, tar.Header{Typeflag: tar.TypeDir, Name: "r/d/"})
	}
	for _, c := range []struct {
		name, source string
		data         []byte
		want         string
	}{
		{"above the root", "o/r", top(tarFile("r/../../x", "")), `has the part ".."`},
		{"above the folder", "o/r:app", top(tarFile("r/app/../x", "")), `has the part ".."`},
		{"absolute", "o/r", top(tarFile("/etc/passwd", "")), "has an empty part"},
		{"another folder", "o/r", top(tarFile("r/a", ""), tarFile("s/b", "")), "is not in the folder"},
		{"no folder", "o/r", top(tarFile("a", "")), "is not in the folder"},
		{"hard link", "o/r", top(tar.Header{Typeflag: tar.TypeLink, Name: "r/a", Linkname: "r/b"}), "is no regular file"},
		{"device", "o/r", top(tar.Header{Typeflag: tar.TypeBlock, Name: "r/a"}), "is no regular file"},
		{"pipe", "o/r", top(tar.Header{Typeflag: tar.TypeFifo, Name: "r/a"}), "is no regular file"},
		{"twice", "o/r", top(tarFile("r/a", ""), tarFile("r/A", "")), "only by case"},
		{"file and folder", "o/r", top(tarFile("r/a", ""), tarFile("r/a/b", "")), "to be a folder"},
		{"backslash", "o/r", top(tarFile(`r/a\b`, "")), "holds a backslash"},
		{"the folder is a file", "o/r:a", top(tarFile("r/a", "")), "is the folder that is wanted, and is none"},
		{"bomb", "o/r", top(tarFile("r/a", strings.Repeat("\x00", 8<<20))), "more than 200 times"},
		{"bomb in what is not wanted", "o/r:app", top(tarFile("r/a", strings.Repeat("\x00", 8<<20))), "more than 200 times"},
		{"many", "o/r", top(many...), "more than 10000 entries"},
		{"cut short", "o/r", good[:len(good)-1], "is cut short"},
		{"half", "o/r", good[:len(good)/2], "is cut short"},
		{"empty", "o/r", nil, "is cut short"},
		{"no gzip", "o/r", []byte("<!doctype html><h1>It works"), "does not unpack"},
		{"no tar", "o/r", zipped("not a tar archive, which has blocks" + strings.Repeat("x", 1000)), "does not unpack"},
		{"damaged", "o/r", append(append(slices.Clone(good[:len(good)-8]), 1, 2, 3, 4), good[len(good)-4:]...), "does not unpack"},
		{"something behind", "o/r", append(slices.Clone(good), "more"...), "is followed by something else"},
	} {
		s := sam.NewMemStore()
		source := c.source
		if c.want == "is cut short" || c.name == "damaged" || c.name == "something behind" {
			source = "o/r:app"
		}
		_, _, err := sam.NewWorkspace(s, "o", nil).ImportRepo(t.Context(), "app", archiveFetcher(c.data), source)
		var refused *sam.PackageError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		wantNothing(t, s)
	}
	for limit, limits := range map[string]sam.Limits{"Files": {Files: 1}, "FileBytes": {FileBytes: 99 << 10}, "ProjectBytes": {ProjectBytes: 199 << 10}} {
		var over *sam.LimitError
		w := sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{Limits: limits})
		if _, _, err := w.ImportRepo(t.Context(), "app", archiveFetcher(good), "o/r:app"); !errors.As(err, &over) || over.Limit != limit {
			t.Errorf("%s: %v", limit, err)
		}
	}
	// What is skipped counts: 64 MB of it are more than 1 MB of a project.
	var over *sam.LimitError
	w := sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{Limits: sam.Limits{ProjectBytes: 1 << 20}})
	if _, _, err := w.ImportRepo(t.Context(), "app", archiveFetcher(top(tarFile("r/skipped", noise(1, 48<<20)))), "o/r:app"); !errors.As(err, &over) || over.Limit != "ProjectBytes" {
		t.Errorf("much that is skipped: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.ImportRepo(canceled, "app", archiveFetcher(good), "o/r"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func zipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

func TestParseRepoSource(t *testing.T) {
	for source, want := range map[string]sam.RepoSource{
		"o/r":                 {Owner: "o", Repo: "r"},
		"o-1/r.js@v1.2":       {Owner: "o-1", Repo: "r.js", Ref: "v1.2"},
		"o/r@feature/x:a/b c": {Owner: "o", Repo: "r", Ref: "feature/x", Dir: "a/b c"},
		"o/.github:a@b":       {Owner: "o", Repo: ".github", Dir: "a@b"},
	} {
		if got, err := sam.ParseRepoSource(source); err != nil || got != want || got.String() != source {
			t.Errorf("%q: %+v, %v", source, got, err)
		}
	}
	for _, source := range []string{"", "o", "o/", "/r", "o/r/x", "o/..", "o/r@", "o/r:", "o/r@-x", "o/r@a..b", "o/r@a b", "o/r@../../x", "o/r@a//b", "o/r@/a", "o/r@a/",
		"o/r@x?y", "o/r@.a", "o/r@a.lock", "o/r@@", "o/r@a@{1}", "o/r:../x", "o/r:/x", "o/r:a/", "o/r:a\\b", "ö/r", "o/r\n", "https://github.com/o/r", "o/r@" + strings.Repeat("x", 256)} {
		if got, err := sam.ParseRepoSource(source); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %+v, %v", source, got, err)
		}
	}
}

// FuzzImportRepo looks that no archive makes the reader panic, or leaves something behind.
func FuzzImportRepo(f *testing.F) {
	small := tarball(f, tarFile("r/a", "x"), tar.Header{Typeflag: tar.TypeSymlink, Name: "r/b", Linkname: "a"}, tarFile("r/"+strings.Repeat("deep/", 40)+"x", "y"))
	gz, err := gzip.NewReader(bytes.NewReader(small))
	if err != nil {
		f.Fatal(err)
	}
	plain, err := io.ReadAll(gz)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small, false)
	f.Add(plain, true)
	f.Add([]byte("hello"), true)
	f.Fuzz(func(t *testing.T, data []byte, pack bool) {
		if pack { // else the checksum stops nearly all
			data = zipped(string(data))
		}
		s := sam.NewMemStore()
		w := sam.NewWorkspace(s, "o", &sam.Options{Limits: sam.Limits{ProjectBytes: 1 << 20}})
		if _, _, err := w.ImportRepo(t.Context(), "app", archiveFetcher(data), "o/r"); err != nil {
			wantNothing(t, s)
		}
	})
}
