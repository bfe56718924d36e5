package kv_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/kv"
	"samkit.dev/sam"
)

// TestMessages holds what Workers says.
func TestMessages(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	long := strings.Repeat("é", 256) + "x" // 513 bytes
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("k", i)
	}
	get := func(key string) error { _, err := ns.Get(ctx, key); return err }
	bulk := func(keys ...string) error { _, err := ns.GetBulk(ctx, keys...); return err }
	after := func(s int64) error { _, err := kv.ExpireAfter(s); return err }
	at := func(s int64) error { _, err := kv.ExpireAt(s); return err }
	list := func(prefix string, limit int) error { _, _, _, err := ns.ListPage(ctx, prefix, "", limit); return err }
	now := time.Now().Unix()
	tests := []struct {
		err    error
		want   string
		status int
	}{
		{get(""), "Key name cannot be empty.", 0},
		{get("."), `"." is not allowed as a key name.`, 0},
		{get(".."), `".." is not allowed as a key name.`, 0},
		{get(long), "KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.", 414},
		{ns.Put(ctx, kv.Entry{Key: long}), "KV PUT failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.", 414},
		{ns.Delete(ctx, long), "KV DELETE failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.", 414},
		{ns.Delete(ctx, "a", ""), "Key name cannot be empty.", 0},
		{ns.Put(ctx, kv.Entry{Key: "a\xed\xa0\x80"}), "KV PUT failed: 400 Could not URL-decode key name", 400},
		{ns.Put(ctx, kv.Entry{Key: "k", Value: make([]byte, kv.MaxValue+1)}), "KV PUT failed: 413 Value length of 26214401 exceeds limit of 26214400.", 413},
		{ns.Put(ctx, kv.Entry{Key: "k", Metadata: json.RawMessage(`"` + strings.Repeat("x", 1023) + `"`)}), "KV PUT failed: 413 Metadata length of 1025 exceeds limit of 1024.", 413},
		{ns.Put(ctx, kv.Entry{Key: "k", Metadata: json.RawMessage(`{`)}), "KV PUT failed: 400 Metadata is not valid JSON.", 400},
		{after(0), "KV PUT failed: 400 Invalid expiration_ttl of 0. Please specify integer greater than 0.", 400},
		{after(-5), "KV PUT failed: 400 Invalid expiration_ttl of -5. Please specify integer greater than 0.", 400},
		{after(59), "KV PUT failed: 400 Invalid expiration_ttl of 59. Expiration TTL must be at least 60.", 400},
		{at(12), "KV PUT failed: 400 Invalid expiration of 12. Please specify integer greater than the current number of seconds since the UNIX epoch.", 400},
		{at(now + 30), fmt.Sprintf("KV PUT failed: 400 Invalid expiration of %d. Expiration times must be at least 60 seconds in the future.", now+30), 400},
		{ns.Put(ctx, kv.Entry{Key: "k", Expires: time.Unix(now+30, 0)}), fmt.Sprintf("KV PUT failed: 400 Invalid expiration of %d. Expiration times must be at least 60 seconds in the future.", now+30), 400},
		{bulk(), "KV GET_BULK failed: 400 You must request a minimum of 1 key", 400},
		{bulk(many...), "KV GET_BULK failed: 400 You can request a maximum of 100 keys", 400},
		{bulk("a", ""), "KV GET_BULK failed: 400 Key names must not be empty", 400},
		{list("", 1001), "KV GET failed: 400 Invalid key_count_limit of 1001. Please specify an integer less than 1000.", 400},
		{list(long, 1), "KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.", 414},
	}
	for _, tt := range tests {
		var e *kv.Error
		if !errors.As(tt.err, &e) || tt.err.Error() != tt.want || e.Status != tt.status {
			t.Errorf("%v, want %s", tt.err, tt.want)
		}
	}
	if entries, _, _, err := ns.ListPage(ctx, "", "", 0); len(entries) > 0 || err != nil {
		t.Errorf("refused puts left %v, %v", entries, err)
	}
}

func TestPutAndGet(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	if _, err := ns.Get(ctx, "k"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	for _, size := range []int{0, 1, 100, 32<<10 - 1, 32 << 10, 32<<10 + 1, 3 << 20, kv.MaxValue} {
		for _, meta := range []string{"", `{"a":1}`} {
			want := kv.Entry{Key: "k", Value: bytes.Repeat([]byte{0, 255, 'x'}, size/3+1)[:size]}
			if meta != "" {
				want.Metadata = json.RawMessage(meta)
				want.Expires = time.Unix(time.Now().Unix()+100, 0)
			}
			if err := ns.Put(ctx, want); err != nil {
				t.Fatal(err)
			}
			got, err := ns.Get(ctx, "k")
			if err != nil || got.Key != "k" || !bytes.Equal(got.Value, want.Value) || string(got.Metadata) != meta || !got.Expires.Equal(want.Expires) {
				t.Errorf("size %d: %d bytes, %s, %v, %v", size, len(got.Value), got.Metadata, got.Expires, err)
			}
			if got.Value == nil {
				t.Error("nil value")
			}
		}
	}
	for range 2 {
		if err := ns.Delete(ctx, "k", "k", "other"); err != nil {
			t.Error(err)
		}
		if _, err := ns.Get(ctx, "k"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("deleted: %v", err)
		}
	}
}

func TestBulk(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	big := make([]byte, 13<<20)
	for _, e := range []kv.Entry{{Key: "a", Value: []byte("1"), Metadata: json.RawMessage("7")}, {Key: "b", Value: big}, {Key: "c", Value: big}} {
		if err := ns.Put(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ns.GetBulk(ctx, "a", "nope", "b", "a", "b")
	if err != nil || len(got) != 2 || string(got["a"].Value) != "1" || string(got["a"].Metadata) != "7" || len(got["b"].Value) != len(big) {
		t.Errorf("%d entries, %v", len(got), err)
	}
	_, err = ns.GetBulk(ctx, "a", "b", "c")
	if want := "KV GET_BULK failed: 413 Total size of request exceeds the limit of 25MB"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		st := newState()
		ns := kv.New(st, "KV")
		exp, err := kv.ExpireAfter(60)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond) // the way from the check to Put may take a moment
		for _, e := range []kv.Entry{{Key: "a", Value: []byte("1"), Expires: exp}, {Key: "b", Expires: exp}, {Key: "c"}, {Key: "d", Expires: exp.Add(time.Hour)}} {
			if err := ns.Put(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Until(exp) - time.Nanosecond)
		if e, err := ns.Get(ctx, "a"); err != nil || !e.Expires.Equal(exp) {
			t.Errorf("just before: %v %v", e, err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := ns.Get(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("expired: %v", err)
		}
		if got, err := ns.GetBulk(ctx, "a", "b", "c"); err != nil || len(got) != 1 {
			t.Errorf("bulk: %v %v", got, err)
		}
		entries, next, complete, err := ns.ListPage(ctx, "", "", 2)
		if len(entries) != 2 || entries[0].Key != "c" || entries[1].Key != "d" || !complete || next != "" || err != nil {
			t.Errorf("list: %v %q %v %v", entries, next, complete, err)
		}
		left := 0
		for range st.Space.List(ctx, "", "") {
			left++
		}
		if left != 2 {
			t.Errorf("%d records left of 2", left)
		}
		// Whatever was put again meanwhile stays.
		if err := ns.Put(ctx, kv.Entry{Key: "a"}); err != nil {
			t.Fatal(err)
		}
		if _, err := ns.Get(ctx, "a"); err != nil {
			t.Error(err)
		}
		// Far futures are no overflow.
		for _, f := range []func(int64) (time.Time, error){kv.ExpireAfter, kv.ExpireAt} {
			far, err := f(1<<63 - 1)
			if err == nil {
				err = ns.Put(ctx, kv.Entry{Key: "far", Expires: far})
			}
			if _, e := ns.Get(ctx, "far"); err != nil || e != nil {
				t.Errorf("far: %v %v", err, e)
			}
		}
	})
}

func TestNamespacesAreApart(t *testing.T) {
	ctx := context.Background()
	st := newState()
	names := []string{"KV", "", "KV/a", "K", "../KV", "é", "%2F", "\x00"}
	keys := []string{"a", "../p2/x", "p2\x00x", "a/b", " ", "%", "...", "\U0001F600", strings.Repeat("k", 512)}
	for _, name := range names {
		ns := kv.New(st, name)
		for _, key := range keys {
			if err := ns.Put(ctx, kv.Entry{Key: key, Value: []byte(name + "|" + key)}); err != nil {
				t.Fatalf("%q %q: %v", name, key, err)
			}
		}
	}
	for _, name := range names {
		ns := kv.New(st, name)
		n := 0
		for e, err := range ns.List(ctx, "", "") {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if got, err := ns.Get(ctx, e.Key); err != nil || string(got.Value) != name+"|"+e.Key {
				t.Errorf("%q %q: %q %v", name, e.Key, got.Value, err)
			}
		}
		if n != len(keys) {
			t.Errorf("%q lists %d keys", name, n)
		}
	}
}

func TestList(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	// The order of UTF-8 is not that of UTF-16: U+FF5E comes before U+1F600.
	want := []string{"A", "a", "a/1", "a/10", "a/2", "b", "é", "\uff5e", "\U0001F600"}
	for _, i := range []int{3, 8, 0, 5, 1, 7, 2, 6, 4} {
		if err := ns.Put(ctx, kv.Entry{Key: want[i], Value: make([]byte, 40_000), Metadata: json.RawMessage(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	keys := func(prefix, after string) (got []string) {
		for e, err := range ns.List(ctx, prefix, after) {
			if err != nil || e.Value != nil || len(e.Metadata) != 1 {
				t.Errorf("%v %v", e, err)
			}
			got = append(got, e.Key)
		}
		return got
	}
	tests := []struct {
		prefix, after string
		want          []string
	}{
		{"", "", want}, {"a/", "", want[2:5]}, {"A", "", want[:1]}, {"a", "a/10", want[4:5]}, {"", "b", want[6:]},
		{"a/", "Z", want[2:5]}, {"a/", "zzz", nil}, {"nope", "", nil}, {"%", "", nil}, {"\U0001F600", "", want[8:]},
	}
	for _, tt := range tests {
		if got := keys(tt.prefix, tt.after); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("prefix %q after %q: %q", tt.prefix, tt.after, got)
		}
	}
	// Pages of each size show every key once.
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []string
		cursor, pages := "", 0
		for {
			entries, next, complete, err := ns.ListPage(ctx, "", cursor, limit)
			if err != nil || complete != (next == "") {
				t.Fatal(next, complete, err)
			}
			for _, e := range entries {
				got = append(got, e.Key)
			}
			if pages++; complete {
				break
			}
			cursor = next
		}
		if !reflect.DeepEqual(got, want) || pages != (len(want)+limit-1)/limit {
			t.Errorf("limit %d: %d pages, %q", limit, pages, got)
		}
	}
	for cursor, left := range map[string]int{"!": len(want), "a": len(want), "AA!A": len(want), "not base64!": 3} {
		if entries, _, _, err := ns.ListPage(ctx, "", cursor, 0); err != nil || len(entries) != left {
			t.Errorf("cursor %.10q: %d entries, %v", cursor, len(entries), err)
		}
	}
	// A key put while paging appears.
	_, next, _, _ := ns.ListPage(ctx, "", "", 2)
	if err := ns.Put(ctx, kv.Entry{Key: "a/0"}); err != nil {
		t.Fatal(err)
	}
	if entries, _, _, err := ns.ListPage(ctx, "", next, 1); err != nil || entries[0].Key != "a/0" {
		t.Errorf("%v %v", entries, err)
	}
}

func TestStoreFails(t *testing.T) {
	store := sam.NewMemStore()
	ns := kv.New(sam.State{Space: store.Space("p"), Blobs: store.Blobs()}, "KV")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ns.Get(ctx, "k"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := ns.Put(ctx, kv.Entry{Key: "k"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := ns.Delete(ctx, "k"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, _, _, err := ns.ListPage(ctx, "", "", 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	store.Close()
	if _, err := ns.Get(context.Background(), "k"); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newState(), "KV")
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			value := bytes.Repeat([]byte{byte(w)}, 40_000)
			for range 50 {
				if err := ns.Put(ctx, kv.Entry{Key: "k", Value: value}); err != nil {
					t.Error(err)
				}
				e, err := ns.Get(ctx, "k")
				if err != nil || len(e.Value) != 40_000 || !bytes.Equal(e.Value, bytes.Repeat(e.Value[:1], 40_000)) {
					t.Errorf("torn value of %d bytes, %v", len(e.Value), err)
				}
				ns.ListPage(ctx, "", "", 10)
			}
		})
	}
	wg.Wait()
}

// TestSweep fills a project with values that are given up again.
func TestSweep(t *testing.T) {
	ctx := context.Background()
	st := newProject(t, sam.Limits{}).State()
	a, b := kv.New(st, "A"), kv.New(st, "B")
	big := func(c byte) []byte { return bytes.Repeat([]byte{c}, 100_000) }
	for _, err := range []error{
		a.Put(ctx, kv.Entry{Key: "k", Value: big('1')}),
		a.Put(ctx, kv.Entry{Key: "k", Value: big('2'), Metadata: json.RawMessage(`"` + strings.Repeat("m", 1000) + `"`)}),
		b.Put(ctx, kv.Entry{Key: "same", Value: big('2')}),
		b.Put(ctx, kv.Entry{Key: "gone", Value: big('3')}),
		b.Put(ctx, kv.Entry{Key: "kept", Value: big('4')}),
		b.Delete(ctx, "gone"),
		a.Delete(ctx, "k"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := kv.Sweep(ctx, st, time.Now().Add(-time.Minute)); n != 0 || err != nil {
		t.Errorf("young values: %d, %v", n, err)
	}
	if n, err := kv.Sweep(ctx, st, time.Now().Add(time.Minute)); n != 2 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	for key, want := range map[string][]byte{"same": big('2'), "kept": big('4')} {
		if e, err := b.Get(ctx, key); err != nil || !bytes.Equal(e.Value, want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestLimit has a project that is full.
func TestLimit(t *testing.T) {
	ctx := context.Background()
	ns := kv.New(newProject(t, sam.Limits{StateBytes: 100_000}).State(), "KV")
	var limit *sam.LimitError
	for _, size := range []int{200_000, 32_000, 32_000, 32_000, 32_000} {
		if err := ns.Put(ctx, kv.Entry{Key: fmt.Sprint(size, time.Now()), Value: make([]byte, size)}); err != nil && !errors.As(err, &limit) {
			t.Error(err)
		}
	}
	if limit == nil || limit.Limit != "StateBytes" {
		t.Errorf("limit %v", limit)
	}
}
