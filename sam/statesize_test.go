package sam_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
)

// TestKVLimits fills the KV of a project, whose DB goes on.
func TestKVLimits(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, tt := range map[string]struct {
		limits sam.Limits
		want   string
		fit    int
	}{
		"keys":  {sam.Limits{KVKeys: 10}, "KVKeys", 10},
		"bytes": {sam.Limits{KVBytes: 10_000}, "KVBytes", 9},
	} {
		p := create(t, sam.NewWorkspace(sam.NewMemStore(), "o", &sam.Options{Limits: tt.limits}), "p", nil)
		st := p.State()
		put := func(key string) error {
			_, err := st.Space.Commit(ctx, sam.Op{Key: key, Value: make([]byte, 1000), If: sam.Any})
			return err
		}
		for i := range tt.fit {
			if err := put(fmt.Sprint("kv/", i)); err != nil {
				t.Fatalf("%s: %d: %v", name, i, err)
			}
		}
		var limit *sam.LimitError
		if err := put("kv/more"); !errors.As(err, &limit) || limit.Limit != tt.want {
			t.Errorf("%s: one more: %v", name, err)
		}
		if err := put("db/x"); err != nil {
			t.Errorf("%s: the DB: %v", name, err)
		}
		if tt.want == "KVBytes" {
			if _, _, err := st.Blobs.Put(ctx, strings.NewReader(strings.Repeat("x", 5000))); !errors.As(err, &limit) || limit.Limit != tt.want {
				t.Errorf("%s: a blob: %v", name, err)
			}
		}
		// Room that was made is found, at once where counting is cheap.
		if _, err := st.Space.Commit(ctx, sam.Op{Key: "kv/0", Delete: true, If: sam.Any}); err != nil {
			t.Fatal(err)
		}
		var err error
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if err = put("kv/more"); err == nil {
				break
			}
		}
		if err != nil {
			t.Errorf("%s: after a delete: %v", name, err)
		}
	}
}
