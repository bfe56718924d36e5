package sam_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

func testKey(context.Context) ([]byte, error) { return make([]byte, 32), nil }

func export(t testing.TB, p *sam.Project, parts sam.Parts, wants ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Export(context.Background(), &b, parts, wants...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func importPackage(t testing.TB, w *sam.Workspace, id sam.ProjectID, data []byte, parts sam.Parts) *sam.Project {
	t.Helper()
	p, err := w.Import(context.Background(), id, bytes.NewReader(data), int64(len(data)), parts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sameFiles(t testing.TB, a, b *sam.Project) {
	t.Helper()
	list := func(p *sam.Project) (s []string) {
		for f, err := range p.Files(context.Background(), "") {
			s = append(s, fmt.Sprintf("%q %s %d %v", f.Name, f.Hash, f.Size, err))
		}
		return s
	}
	if x, y := list(a), list(b); !slices.Equal(x, y) {
		t.Errorf("files differ:\n%s\n\n%s", strings.Join(x, "\n"), strings.Join(y, "\n"))
	}
}

func noise(seed uint64, n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return string(b)
}

// packageFiles are of each way in which contents are packed.
func packageFiles() sam.Files {
	return sam.Files{
		"index.html":      "<h1>hello</h1>",
		"empty":           "",
		"one":             "1",
		"!first":          "before what packages hold",
		".well-known/x":   "a file like others",
		"src/app.js":      strings.Repeat("function f() { return 42 }\n", 100),
		"docs/é/日本.md":    strings.Repeat("日本 é\n", 5000),
		"media/noise.bin": noise(1, 300<<10),
		"media/large":     noise(2, 1<<20+100) + strings.Repeat("text ", 300<<10),
		"media/block":     noise(3, 1<<20),
		"zeros":           strings.Repeat("\x00", 3<<20+17),
		"crlf.txt":        "a\r\nb\r\n\x00\xff",
		"wrangler.toml":   "name = \"x\"\n",
	}
}

// fillState gives a project KV, a database and two secrets.
func fillState(t testing.TB, p *sam.Project) {
	t.Helper()
	ctx := context.Background()
	ns := kv.New(p.State(), "KV")
	for _, e := range []kv.Entry{{Key: "small", Value: []byte("1")}, {Key: "large", Value: []byte(noise(9, 2<<20))}} {
		if err := ns.Put(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := ns.Put(ctx, kv.Entry{Key: "gone", Value: []byte(noise(10, 2<<20))}); err != nil {
		t.Fatal(err)
	}
	if err := ns.Delete(ctx, "gone"); err != nil { // its blob stays until it is swept
		t.Fatal(err)
	}
	db, err := sqlshim.Open(ctx, p.State(), "DB", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, sql := range []string{"CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'one'), (2, 'two')"} {
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"API_KEY", "api_key"} {
		if err := p.Secrets().Set(ctx, name, "value of "+name+"\xff"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPackage brings projects from each store to another.
func TestPackage(t *testing.T) {
	ctx := t.Context()
	all := sam.Parts{KV: true, DB: true, Secrets: []string{"api_key", "API_KEY", "api_key"}}
	to := sam.NewWorkspace(sam.NewMemStore(), "other", &sam.Options{SecretKey: testKey})
	var first []byte
	n := 0
	stores(t, func(t *testing.T, s sam.Store) {
		n++
		p := create(t, sam.NewWorkspace(s, "o", &sam.Options{SecretKey: testKey}), "app", packageFiles())
		bare := export(t, p, sam.Parts{}, "host:notes", "fetch:api.example.com")
		if first == nil {
			first = bare
		}
		if again := export(t, p, sam.Parts{}, "host:notes", "fetch:api.example.com"); !bytes.Equal(again, bare) || !bytes.Equal(first, bare) {
			t.Error("equal projects give other bytes")
		}
		fillState(t, p)
		if again := export(t, p, sam.Parts{}, "host:notes", "fetch:api.example.com"); !bytes.Equal(again, bare) {
			t.Error("state goes with files that were exported alone")
		}
		got := importPackage(t, to, sam.ProjectID(fmt.Sprint("bare-", n)), bare, sam.Parts{})
		sameFiles(t, p, got)
		sameAsZip(t, got, bare)

		whole := export(t, p, all)
		pkg, err := sam.OpenPackage(bytes.NewReader(whole), int64(len(whole)))
		if err != nil || pkg.Name != "app" || !pkg.Parts.KV || !pkg.Parts.DB || !slices.Equal(pkg.Parts.Secrets, []string{"API_KEY", "api_key"}) {
			t.Fatalf("%+v, %v", pkg, err)
		}
		got = importPackage(t, to, sam.ProjectID(fmt.Sprint("none-", n)), whole, sam.Parts{})
		if names, _ := got.Secrets().Names(ctx); len(names) > 0 || stateKeys(t, got) > 0 {
			t.Errorf("state came along, secrets %q", names)
		}
		got = importPackage(t, to, sam.ProjectID(fmt.Sprint("some-", n)), whole, sam.Parts{Secrets: []string{"API_KEY"}})
		if names, _ := got.Secrets().Names(ctx); !slices.Equal(names, []string{"API_KEY"}) {
			t.Errorf("secrets %q", names)
		}
		got = importPackage(t, to, sam.ProjectID(fmt.Sprint("all-", n)), whole, all)
		wantState(t, got)
		// The names of projects stand in packages: only that of the same name is the same.
		same := importPackage(t, sam.NewWorkspace(sam.NewMemStore(), "third", &sam.Options{SecretKey: testKey}), "app", whole, all)
		if again := export(t, same, all); !bytes.Equal(again, whole) {
			t.Error("what was imported is exported as other bytes")
		}
	})
}

func wantState(t testing.TB, p *sam.Project) {
	t.Helper()
	ctx := context.Background()
	ns := kv.New(p.State(), "KV")
	for key, want := range map[string]string{"small": "1", "large": noise(9, 2<<20)} {
		if e, err := ns.Get(ctx, key); err != nil || string(e.Value) != want {
			t.Errorf("KV %s: %d bytes, %v", key, len(e.Value), err)
		}
	}
	db, err := sqlshim.Open(ctx, p.State(), "DB", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if has, err := p.State().Blobs.Has(ctx, sam.Hash([]byte(noise(10, 2<<20)))); has || err != nil {
		t.Errorf("a value that was removed came along: %v, %v", has, err)
	}
	if r, err := db.Query(ctx, "SELECT group_concat(b) FROM t"); err != nil || fmt.Sprint(r.Rows) != "[[one,two]]" {
		t.Errorf("DB: %v, %v", r, err)
	}
	for _, name := range []string{"API_KEY", "api_key"} {
		if v, err := p.Secrets().Value(ctx, name); err != nil || v != "value of "+name+"\xff" {
			t.Errorf("secret %s: %q, %v", name, v, err)
		}
	}
}

func TestPackageRefusals(t *testing.T) {
	ctx := t.Context()
	s := sam.NewMemStore()
	w := sam.NewWorkspace(s, "o", &sam.Options{SecretKey: testKey})
	p := create(t, w, "app", sam.Files{"a": strings.Repeat("a", 1000), "b": strings.Repeat("b", 1000)})
	data := export(t, p, sam.Parts{})
	for _, parts := range []sam.Parts{{KV: true}, {DB: true}, {Secrets: []string{"A"}}} {
		if _, err := w.Import(ctx, "new", bytes.NewReader(data), int64(len(data)), parts); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("import %+v: %v", parts, err)
		}
	}
	if err := p.Export(ctx, io.Discard, sam.Parts{Secrets: []string{"A"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("export of a missing secret: %v", err)
	}
	if _, err := w.Import(ctx, "app", bytes.NewReader(data), int64(len(data)), sam.Parts{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("import over a project: %v", err)
	}
	if _, err := w.Import(ctx, "../x", bytes.NewReader(data), int64(len(data)), sam.Parts{}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("import as ../x: %v", err)
	}
	for limit, limits := range map[string]sam.Limits{"Files": {Files: 1}, "FileBytes": {FileBytes: 999}, "ProjectBytes": {ProjectBytes: 1999}} {
		var over *sam.LimitError
		other := sam.NewWorkspace(s, "other", &sam.Options{Limits: limits})
		if _, err := other.Import(ctx, "new", bytes.NewReader(data), int64(len(data)), sam.Parts{}); !errors.As(err, &over) || over.Limit != limit {
			t.Errorf("%s: %v", limit, err)
		}
	}
	fillState(t, p)
	data = export(t, p, sam.Parts{KV: true, DB: true, Secrets: []string{"API_KEY"}})
	for limit, limits := range map[string]sam.Limits{"StateBytes": {StateBytes: 2 << 20}, "KVBytes": {KVBytes: 2 << 20}, "KVKeys": {KVKeys: 1}} {
		var over *sam.LimitError
		other := sam.NewWorkspace(s, "other", &sam.Options{Limits: limits})
		if _, err := other.Import(ctx, "new", bytes.NewReader(data), int64(len(data)), sam.Parts{KV: true, DB: true}); !errors.As(err, &over) || over.Limit != limit {
			t.Errorf("%s: %v", limit, err)
		}
	}
	bare := sam.NewWorkspace(s, "other", nil)
	if _, err := bare.Import(ctx, "new", bytes.NewReader(data), int64(len(data)), sam.Parts{Secrets: []string{"API_KEY"}}); !errors.Is(err, sam.ErrNoSecretKey) {
		t.Errorf("secrets without a key: %v", err)
	}
	for name := range s.Spaces(ctx, "", "") {
		if name != "o/app" {
			t.Errorf("there is a space %q", name)
		}
	}
	for _, name := range []string{".sam/manifest.json", ".SAM/x", ".playgrounds-state/kv", ".playgrounds-state"} {
		q := create(t, w, "own", sam.Files{name: "x"})
		var refused *sam.PackageError
		if err := q.Export(ctx, io.Discard, sam.Parts{}); !errors.As(err, &refused) || refused.Entry != name {
			t.Errorf("export of %s: %v", name, err)
		}
		if err := w.Delete(ctx, "own"); err != nil {
			t.Fatal(err)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := p.Export(canceled, io.Discard, sam.Parts{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	full := errors.New("disk full")
	for room := 0; room < len(data); room += 50_000 {
		if err := p.Export(ctx, &smallDisk{room, full}, sam.Parts{KV: true, DB: true}); !errors.Is(err, full) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
	}
}

// A smallDisk fails after so many bytes.
type smallDisk struct {
	room int
	err  error
}

func (d *smallDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, d.err
	}
	return len(p), nil
}

// TestForeignBlob looks that a KV that was made by hand reads no blob of another project.
func TestForeignBlob(t *testing.T) {
	ctx := t.Context()
	s := sam.NewMemStore()
	victim := create(t, sam.NewWorkspace(s, "victim", nil), "app", sam.Files{"private": noise(5, 100<<10)})
	f, err := victim.Stat(ctx, "private")
	if err != nil {
		t.Fatal(err)
	}
	attacker := create(t, sam.NewWorkspace(s, "attacker", nil), "app", nil)
	for _, hash := range []string{f.Hash, "", f.Hash[:10], "../" + f.Hash} {
		if _, err := attacker.State().Blobs.Open(ctx, hash); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) of another project's blob: %v", hash, err)
		}
		if has, err := attacker.State().Blobs.Has(ctx, hash); has || err != nil {
			t.Errorf("Has(%q) of another project's blob: %v, %v", hash, has, err)
		}
	}
}

// FuzzPackage looks that whatever files there are come back.
func FuzzPackage(f *testing.F) {
	f.Add("index.html", []byte("x"), uint(1))
	f.Add("zeros", make([]byte, 100), uint(30_000))
	f.Add("a/b/c", []byte(noise(1, 100)), uint(12_000))
	f.Fuzz(func(t *testing.T, name string, data []byte, times uint) {
		times %= uint(3<<20/max(1, len(data))) + 2
		w := sam.NewWorkspace(sam.NewMemStore(), "o", nil)
		p, err := w.Create(t.Context(), "app", sam.Files{"index.html": "", name: string(bytes.Repeat(data, int(times)))})
		if err != nil || strings.HasPrefix(sam.FoldName(name), ".sam") || strings.HasPrefix(sam.FoldName(name), ".playgrounds-state") {
			return
		}
		pkg := export(t, p, sam.Parts{})
		got := importPackage(t, w, "again", pkg, sam.Parts{})
		sameFiles(t, p, got)
		sameAsZip(t, got, pkg)
	})
}

var update = flag.Bool("update", false, "write the golden packages anew")

// Packages of every format stay readable. v1 is ours, plain was made by Info-ZIP, python
// by Python's zipfile, both of files that a person had in a folder.
var goldenPackages = []string{"v1.sam", "plain.sam", "python.sam"}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "packages", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGoldenPackages(t *testing.T) {
	ctx := t.Context()
	w := sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{SecretKey: testKey})
	files := sam.Files{"index.html": "<h1>golden</h1>\n", "js/app.js": strings.Repeat("let a = 1\n", 400), "data.bin": noise(7, 1000)}
	all := sam.Parts{KV: true, DB: true, Secrets: []string{"API_KEY"}}
	if *update {
		p := create(t, w, "golden", files)
		space := p.State().Space
		if _, err := space.Commit(ctx, sam.Op{Key: "kv/a", Value: []byte("1")}, sam.Op{Key: "kv/b", Value: []byte("2" + sam.Hash([]byte("a blob")))}, sam.Op{Key: "db/d/head", Value: []byte("2")}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.State().Blobs.Put(ctx, strings.NewReader("a blob")); err != nil {
			t.Fatal(err)
		}
		if err := p.Secrets().Set(ctx, "API_KEY", "secret"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/packages/v1.sam", export(t, p, all, "host:notes"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.Delete(ctx, "golden"); err != nil {
			t.Fatal(err)
		}
	}
	want := create(t, w, "want", files)
	for _, name := range goldenPackages {
		data := golden(t, name)
		parts := sam.Parts{}
		if name == "v1.sam" {
			parts = all
		}
		p := importPackage(t, w, "golden", data, parts)
		sameFiles(t, want, p)
		if name == "v1.sam" {
			kv, _, err1 := p.State().Space.Get(ctx, "kv/a")
			db, _, err2 := p.State().Space.Get(ctx, "db/d/head")
			secret, err3 := p.Secrets().Value(ctx, "API_KEY")
			has, err4 := p.State().Blobs.Has(ctx, sam.Hash([]byte("a blob")))
			if err := errors.Join(err1, err2, err3, err4); err != nil || string(kv) != "1" || string(db) != "2" || secret != "secret" || !has {
				t.Errorf("%q %q %q %v: %v", kv, db, secret, has, err)
			}
			// And the writer writes what it wrote. A packer that packs better may change this.
			if again := export(t, p, all, "host:notes"); !bytes.Equal(again, data) {
				t.Error("the same project gives other bytes than before; see -update")
			}
		}
		if err := w.Delete(ctx, "golden"); err != nil {
			t.Fatal(err)
		}
	}
}
