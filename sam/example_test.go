package sam_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"samkit.dev/sam"
)

func Example() {
	ctx := context.Background()
	ws := sam.NewWorkspace(sam.NewMemStore(), "demo", nil)
	app, err := ws.Create(ctx, "hello", sam.Files{"index.html": "<h1>hi</h1>"})
	if err != nil {
		log.Fatal(err)
	}
	data, err := app.ReadFile(ctx, "index.html")
	fmt.Println(string(data), err)
	// Output: <h1>hi</h1> <nil>
}

// example returns a project to try things on.
func example(files sam.Files) (*sam.Workspace, *sam.Project) {
	key := func(context.Context) ([]byte, error) { return []byte("a key of 32 bytes, kept elsewhere"[:32]), nil }
	ws := sam.NewWorkspace(sam.NewMemStore(), "demo", &sam.Options{SecretKey: key})
	app, err := ws.Create(context.Background(), "hello", files)
	if err != nil {
		log.Fatal(err)
	}
	return ws, app
}

func ExampleWorkspace_Deploy() {
	ctx := context.Background()
	ws := sam.NewWorkspace(sam.NewMemStore(), "demo", nil)
	// At every start of the program; an embed.FS in a real one.
	for _, version := range []string{"1", "2", "2"} {
		app, err := ws.Deploy(ctx, "app", sam.Files{"index.html": version})
		if err != nil {
			log.Fatal(err)
		}
		data, _ := app.ReadFile(ctx, "index.html")
		fmt.Println(string(data))
	}
	// Output:
	// 1
	// 2
	// 2
}

func ExampleWorkspace_Clone() {
	ctx := context.Background()
	ws, app := example(sam.Files{"index.html": "hi"})
	if err := app.Secrets().Set(ctx, "API_KEY", "k"); err != nil {
		log.Fatal(err)
	}
	copied, err := ws.Clone(ctx, "hello", "copy", sam.Parts{}) // the files alone
	if err != nil {
		log.Fatal(err)
	}
	names, err := copied.Secrets().Names(ctx)
	fmt.Println(len(names), err)
	// Output: 0 <nil>
}

func ExampleWorkspace_Projects() {
	ctx := context.Background()
	ws, _ := example(nil)
	ws.Create(ctx, "another", nil)
	for info, err := range ws.Projects(ctx) {
		fmt.Println(info.ID, err)
	}
	// Output:
	// another <nil>
	// hello <nil>
}

func ExampleWorkspace_Delete() {
	ctx := context.Background()
	ws, _ := example(nil)
	fmt.Println(ws.Delete(ctx, "hello"))
	_, err := ws.Open(ctx, "hello")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// <nil>
	// true
}

func ExampleProject_Apply() {
	ctx := context.Background()
	_, app := example(sam.Files{"a.txt": "one"})
	// Someone else writes after we have read.
	if err := app.WriteFile(ctx, "a.txt", []byte("two")); err != nil {
		log.Fatal(err)
	}
	err := app.Apply(ctx,
		sam.Edit{Name: "a.txt", Data: []byte("three"), IfHash: sam.Hash([]byte("one"))},
		sam.Edit{Name: "b.txt", Data: []byte("new")}) // no IfHash: must not exist
	var conflict *sam.ConflictError
	if errors.As(err, &conflict) {
		fmt.Println(conflict.Name, "is now", conflict.Hash == sam.Hash([]byte("two")))
	}
	_, err = app.Stat(ctx, "b.txt")
	fmt.Println(errors.Is(err, fs.ErrNotExist)) // nothing of it was made
	// Output:
	// a.txt is now true
	// true
}

func ExampleProject_FS() {
	ctx := context.Background()
	_, app := example(sam.Files{"index.html": "old", "lib/x.js": ""})
	view := app.FS(ctx)
	app.WriteFile(ctx, "index.html", []byte("new"))
	data, err := fs.ReadFile(view, "index.html")
	fmt.Println(string(data), err) // the view stays what it was
	fs.WalkDir(view, ".", func(path string, d fs.DirEntry, err error) error {
		fmt.Println(path)
		return err
	})
	// Output:
	// old <nil>
	// .
	// index.html
	// lib
	// lib/x.js
}

func ExampleProject_Files() {
	ctx := context.Background()
	_, app := example(sam.Files{"index.html": "hi", "lib/x.js": "x", "lib/y.js": "yy"})
	for f, err := range app.Files(ctx, "lib/") {
		fmt.Println(f.Name, f.Size, err)
	}
	// Output:
	// lib/x.js 1 <nil>
	// lib/y.js 2 <nil>
}

func ExampleProject_Revision() {
	ctx := context.Background()
	_, app := example(nil)
	before, _ := app.Revision(ctx)
	app.WriteFile(ctx, "a.txt", []byte("a"))
	after, _ := app.Revision(ctx)
	fmt.Println(before == after)
	// Output: false
}

func ExampleProject_Watch() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, app := example(sam.Files{"a.txt": "a"})
	changes := app.Watch(ctx) // from now on
	app.WriteFile(ctx, "b.txt", []byte("b"))
	for f, err := range changes {
		fmt.Println(f.Name, err)
		break
	}
	// Output: b.txt <nil>
}

func ExampleProject_State() {
	ctx := context.Background()
	_, app := example(nil)
	state := app.State()
	_, err := state.Space.Commit(ctx, sam.Op{Key: "kv/settings/theme", Value: []byte("dark")})
	fmt.Println(err)
	_, err = state.Space.Commit(ctx, sam.Op{Key: "f/index.html"})
	fmt.Println(err)
	// Output:
	// <nil>
	// sam: key "f/index.html" of a project's state starts with neither "kv/" nor "db/"
}

func ExampleProject_Info() {
	ctx := context.Background()
	_, app := example(nil)
	app.SetAgentManaged(ctx, true)
	info, err := app.Info(ctx)
	fmt.Println(info.ID, info.AgentManaged, err)
	// Output: hello true <nil>
}

func ExampleSecrets() {
	ctx := context.Background()
	_, app := example(nil)
	secrets := app.Secrets()
	if err := secrets.Set(ctx, "API_KEY", "hunter2"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(secrets.Names(ctx))
	fmt.Println(secrets.Value(ctx, "API_KEY"))
	// Output:
	// [API_KEY] <nil>
	// hunter2 <nil>
}

func ExampleOpenDir() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := sam.OpenDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	ws := sam.NewWorkspace(store, "demo", nil)
	if _, err := ws.Create(ctx, "hello", sam.Files{"index.html": "<h1>hi</h1>"}); err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "demo+hello", "index.html"))
	fmt.Println(string(data), err)
	// Output: <h1>hi</h1> <nil>
}

func ExampleOpenBlobDir() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sam")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	blobs, err := sam.OpenBlobDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer blobs.Close()
	hash, size, err := blobs.Put(ctx, strings.NewReader("contents"))
	fmt.Println(hash[:8], size, err)
	for b, err := range blobs.All(ctx) {
		fmt.Println(b.Hash == hash, b.Size, err)
	}
	// Output:
	// d1b2a59f 8 <nil>
	// true 8 <nil>
}

func ExampleSweep() {
	ctx := context.Background()
	store := sam.NewMemStore()
	if _, err := sam.NewWorkspace(store, "demo", nil).Create(ctx, "hello", nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sam.Sweep(ctx, store)) // blobs younger than an hour stay
	// Output: 0 <nil>
}

func ExampleNewFeed() {
	feed := sam.NewFeed()
	events := feed.Watch(context.Background(), "project", "f/")
	feed.Publish("project", sam.Entry{Key: "f/a", Version: "1"}) // a store does this in Commit
	for e, err := range events {
		fmt.Println(e.Key, e.Version, err)
		break
	}
	// Output: f/a 1 <nil>
}

func ExampleCheckFileName() {
	for _, name := range []string{"img/logo.png", "../etc/passwd", "aux.txt"} {
		fmt.Println(sam.CheckFileName(name))
	}
	// Output:
	// <nil>
	// sam: name "../etc/passwd" has the part ".."
	// sam: name "aux.txt" has the part "aux.txt", a device on Windows
}

func ExampleCheckSecretName() {
	fmt.Println(sam.CheckSecretName("API_KEY"))
	fmt.Println(sam.CheckSecretName("api-key"))
	// Output:
	// <nil>
	// sam: name "api-key" holds something else than A-Z, a-z, 0-9 and "_"
}

func ExampleFoldName() {
	fmt.Println(sam.FoldName("Read.ME") == sam.FoldName("read.me"))
	// Output: true
}

func ExampleIsText() {
	fmt.Println(sam.IsText("a.js", []byte("let x")), sam.IsText("a.bin", []byte{0, 1}))
	// Output: true false
}

func ExampleHash() {
	fmt.Println(sam.Hash(nil))
	// Output: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
}

func ExampleFiles() {
	files := sam.Files{"index.html": "hi", "lib/x.js": ""}
	data, err := fs.ReadFile(files, "index.html")
	fmt.Println(string(data), err)
	// Output: hi <nil>
}

func ExampleCheckOps() {
	// The first line of a store's Commit.
	err := sam.CheckOps([]sam.Op{{Key: "k", Value: make([]byte, sam.MaxValue+1)}})
	fmt.Println(errors.Is(err, sam.ErrTooLarge), err)
	// Output: true sam: value of 1048577 bytes for key "k": at most 1048576 fit
}

func ExampleProject_Checkpoint() {
	ctx := context.Background()
	_, app := example(sam.Files{"index.html": "<h1>hi</h1>"})
	before, err := app.Checkpoint(sam.WithAuthor(ctx, "agent"), "before the redesign", sam.Parts{KV: true, DB: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := app.Apply(ctx,
		sam.Edit{Name: "index.html", Data: []byte("<h1>broken"), IfHash: "*"},
		sam.Edit{Name: "new.css", Data: []byte("h1 {")},
	); err != nil {
		log.Fatal(err)
	}
	undo, err := app.Restore(ctx, before.ID, sam.Parts{}) // the files alone
	if err != nil {
		log.Fatal(err)
	}
	data, _ := app.ReadFile(ctx, "index.html")
	fmt.Println(string(data))
	for c, err := range app.Checkpoints(ctx) {
		fmt.Printf("%q by %q: %d files %v\n", c.Label, c.By, c.Files, err)
	}
	// The restore can be undone.
	if _, err := app.Restore(ctx, undo.ID, sam.Parts{}); err != nil {
		log.Fatal(err)
	}
	data, _ = app.ReadFile(ctx, "index.html")
	fmt.Println(string(data))
	// Output:
	// <h1>hi</h1>
	// "before restoring before the redesign" by "": 2 files <nil>
	// "before the redesign" by "agent": 1 files <nil>
	// <h1>broken
}

func ExampleProject_Diff() {
	ctx := context.Background()
	_, app := example(sam.Files{"a.txt": "1", "b.txt": "2", "c.txt": "3"})
	before, err := app.Checkpoint(ctx, "", sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	if err := app.Apply(ctx,
		sam.Edit{Name: "a.txt", Data: []byte("one"), IfHash: "*"},
		sam.Edit{Name: "b.txt", Rename: "d.txt", IfHash: "*"},
		sam.Edit{Name: "c.txt", Remove: true, IfHash: "*"},
	); err != nil {
		log.Fatal(err)
	}
	changes, err := app.Diff(ctx, before.ID, "") // "" is the present
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range changes {
		fmt.Printf("%s %q %q\n", c.Kind(), c.Before.Name, c.After.Name)
	}
	// Output:
	// changed "a.txt" "a.txt"
	// removed "c.txt" ""
	// renamed "b.txt" "d.txt"
}

func ExampleProject_CheckpointFS() {
	ctx := context.Background()
	_, app := example(sam.Files{"a.txt": "then"})
	c, err := app.Checkpoint(ctx, "", sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	app.WriteFile(ctx, "a.txt", []byte("now"))
	view, err := app.CheckpointFS(ctx, c.ID)
	if err != nil {
		log.Fatal(err)
	}
	data, err := fs.ReadFile(view, "a.txt")
	fmt.Println(string(data), err)
	// Output: then <nil>
}

func ExampleProject_CheckpointState() {
	ctx := context.Background()
	_, app := example(nil)
	app.State().Space.Commit(ctx, sam.Op{Key: "kv/visits", Value: []byte("1")})
	c, err := app.Checkpoint(ctx, "", sam.Parts{KV: true})
	if err != nil {
		log.Fatal(err)
	}
	app.State().Space.Commit(ctx, sam.Op{Key: "kv/visits", Value: []byte("2"), If: sam.Any})
	then, err := app.CheckpointState(ctx, c.ID, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	value, _, err := then.Space.Get(ctx, "kv/visits")
	fmt.Println(string(value), err)
	// Output: 1 <nil>
}

func ExampleProject_WatchState() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, app := example(nil)
	changes := app.WatchState(ctx) // from here on
	app.State().Space.Commit(ctx, sam.Op{Key: "kv/visits", Value: []byte("1")})
	for part, err := range changes {
		fmt.Println(part.KV, part.DB, err)
		break
	}
	// Output: true false <nil>
}

func ExampleWorkspace_Fork() {
	ctx := context.Background()
	ws, app := example(sam.Files{"a.txt": "then"})
	c, err := app.Checkpoint(ctx, "", sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	app.WriteFile(ctx, "a.txt", []byte("now"))
	other, err := ws.Fork(ctx, "hello", c.ID, "another-way", sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	data, err := other.ReadFile(ctx, "a.txt")
	fmt.Println(string(data), err)
	// Output: then <nil>
}

func ExampleProject_DeleteCheckpoints() {
	ctx := context.Background()
	_, app := example(nil)
	var ids []string
	for range 3 {
		c, err := app.Checkpoint(ctx, "", sam.Parts{})
		if err != nil {
			log.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	if err := app.DeleteCheckpoints(ctx, ids[:2]...); err != nil {
		log.Fatal(err)
	}
	for c := range app.Checkpoints(ctx) {
		fmt.Println(c.ID == ids[2])
	}
	// Output: true
}

func ExampleProject_Export() {
	ctx := context.Background()
	_, app := example(sam.Files{"index.html": "hello"})

	var b bytes.Buffer // or a file whose name ends in sam.PackageExt
	if err := app.Export(ctx, &b, sam.Parts{}, "fetch:api.example.com"); err != nil {
		log.Fatal(err)
	}
	pkg, err := sam.OpenPackage(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pkg.Name, len(pkg.Files), pkg.Wants)
	// Output: hello 1 [fetch:api.example.com]
}

func ExampleWorkspace_Import() {
	ctx := context.Background()
	ws, app := example(sam.Files{"index.html": "hello"})
	var b bytes.Buffer
	if err := app.Export(ctx, &b, sam.Parts{}); err != nil {
		log.Fatal(err)
	}

	copied, err := ws.Import(ctx, "copy", bytes.NewReader(b.Bytes()), int64(b.Len()), sam.Parts{})
	if err != nil {
		log.Fatal(err)
	}
	data, _ := copied.ReadFile(ctx, "index.html")
	fmt.Printf("%s\n", data)

	_, err = ws.Import(ctx, "damaged", bytes.NewReader(b.Bytes()), int64(b.Len())-1, sam.Parts{})
	var refused *sam.PackageError
	fmt.Println(errors.As(err, &refused))
	// Output:
	// hello
	// true
}

func ExampleOpenPackage() {
	f, err := os.Open("testdata/packages/v1.sam")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	pkg, err := sam.OpenPackage(f, info.Size())
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range pkg.Files {
		fmt.Println(file.Name, file.Size)
	}
	fmt.Printf("%+v\n", pkg.Parts) // what may be asked for
	// Output:
	// data.bin 1000
	// index.html 16
	// js/app.js 4000
	// {KV:true DB:true Secrets:[API_KEY]}
}

func ExampleWorkspace_ImportRepo() {
	ctx := context.Background()
	ws := sam.NewWorkspace(sam.NewMemStore(), "demo", nil)
	var fetcher sam.Fetcher = offline{} // or that of package sam/github
	_, _, err := ws.ImportRepo(ctx, "hello", fetcher, "octo/hello@v1:app")
	fmt.Println(err)
	// Output: import project "hello" from octo/hello@v1:app: octo/hello: file does not exist
}

type offline struct{}

func (offline) Fetch(ctx context.Context, owner, repo, ref string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s/%s: %w", owner, repo, fs.ErrNotExist)
}

func ExampleParseRepoSource() {
	source, err := sam.ParseRepoSource("octo/hello@v1:app")
	fmt.Println(source.Owner, source.Repo, source.Ref, source.Dir, err)
	// Output: octo hello v1 app <nil>
}
