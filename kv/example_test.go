package kv_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

func ExampleNew() {
	ctx := context.Background()
	store := sam.NewMemStore()
	defer store.Close()
	// A program takes the state of a project, from sam.Project.State.
	ns := kv.New(sam.State{Space: store.Space("demo"), Blobs: store.Blobs()}, "KV")
	err := ns.Put(ctx, kv.Entry{Key: "greeting", Value: []byte("hello")})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := ns.Get(ctx, "greeting")
	fmt.Println(string(e.Value), err)
	// Output: hello <nil>
}

func ExampleNamespace_Get() {
	ns := kv.New(newState(), "KV")
	_, err := ns.Get(context.Background(), "nobody")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	_, err = ns.Get(context.Background(), "..")
	fmt.Println(err)
	// Output:
	// true
	// ".." is not allowed as a key name.
}

func ExampleNamespace_Put() {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	expires, err := kv.ExpireAfter(3600)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = ns.Put(ctx, kv.Entry{Key: "session", Value: []byte("token"), Metadata: json.RawMessage(`{"user":7}`), Expires: expires})
	fmt.Println(err)
	e, err := ns.Get(ctx, "session")
	fmt.Println(string(e.Metadata), time.Until(e.Expires) > 59*time.Minute, err)
	// Output:
	// <nil>
	// {"user":7} true <nil>
}

func ExampleNamespace_GetBulk() {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	ns.Put(ctx, kv.Entry{Key: "a", Value: []byte("1")})
	ns.Put(ctx, kv.Entry{Key: "b", Value: []byte("2")})
	entries, err := ns.GetBulk(ctx, "a", "b", "c")
	fmt.Println(string(entries["a"].Value), string(entries["b"].Value), len(entries), err)
	// Output: 1 2 2 <nil>
}

func ExampleNamespace_Delete() {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	ns.Put(ctx, kv.Entry{Key: "a"})
	fmt.Println(ns.Delete(ctx, "a", "never there"))
	// Output: <nil>
}

func ExampleNamespace_List() {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	for _, key := range []string{"user/2", "user/1", "other"} {
		ns.Put(ctx, kv.Entry{Key: key})
	}
	for e, err := range ns.List(ctx, "user/", "") {
		fmt.Println(e.Key, err)
	}
	// Output:
	// user/1 <nil>
	// user/2 <nil>
}

func ExampleNamespace_ListPage() {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	for _, key := range []string{"a", "b", "c"} {
		ns.Put(ctx, kv.Entry{Key: key})
	}
	page, next, complete, err := ns.ListPage(ctx, "", "", 2)
	fmt.Println(len(page), complete, err)
	page, _, complete, err = ns.ListPage(ctx, "", next, 2)
	fmt.Println(len(page), complete, err)
	// Output:
	// 2 false <nil>
	// 1 true <nil>
}

func ExampleExpireAfter() {
	_, err := kv.ExpireAfter(30)
	fmt.Println(err)
	// Output: KV PUT failed: 400 Invalid expiration_ttl of 30. Expiration TTL must be at least 60.
}

func ExampleExpireAt() {
	_, err := kv.ExpireAt(1)
	fmt.Println(err)
	// Output: KV PUT failed: 400 Invalid expiration of 1. Please specify integer greater than the current number of seconds since the UNIX epoch.
}

func ExampleError() {
	_, err := kv.New(newState(), "KV").Get(context.Background(), "")
	var e *kv.Error
	if errors.As(err, &e) {
		fmt.Println(e.Verb, e.Status, e.Text)
	}
	// Output: GET 0 Key name cannot be empty.
}

func ExampleSweep() {
	ctx := context.Background()
	ws := sam.NewWorkspace(sam.NewMemStore(), "demo", nil)
	app, err := ws.Create(ctx, "app", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := kv.Sweep(ctx, app.State(), time.Now().Add(-time.Hour))
	fmt.Println(n, err)
	// Output: 0 <nil>
}
