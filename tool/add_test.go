package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caps, _ := offer()
		set, err := NewSet(caps, nil, Grant{Uses: []string{"crm@1.lookup"}, Expires: time.Now().Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Revoke()
		narrow, err := set.Narrow(Grant{Uses: []string{"crm@1.lookup"}, Expires: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, args := context.Background(), json.RawMessage(`{}`)
		if _, err := set.Call(ctx, "crm.remove", args); err == nil {
			t.Fatal("called before it was granted")
		}
		if err := set.Add(Grant{Uses: []string{"crm@1.remove"}, MaxCalls: 1, Expires: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if _, err := set.Call(ctx, "crm.remove", args); err != nil {
			t.Error(err)
		}
		if _, err := set.Call(ctx, "crm.remove", args); err == nil || !strings.Contains(err.Error(), "calls of the grant are used") {
			t.Errorf("a second call: %v", err)
		}
		if _, err := narrow.Call(ctx, "crm.remove", args); err == nil {
			t.Error("what is narrowed got wider")
		}
		if len(set.Grants()) != 2 {
			t.Errorf("grants %+v", set.Grants())
		}

		// The set lives as long as its last grant, and what was granted before ends in its time.
		time.Sleep(2 * time.Minute)
		if _, err := set.Call(ctx, "crm.lookup", args); err == nil {
			t.Error("a grant that has expired permits")
		}
		select {
		case <-set.Done():
			t.Error("the set ended with its first grant")
		default:
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		select {
		case <-set.Done():
		default:
			t.Error("the set outlives its grants")
		}
		if err := set.Add(Grant{Uses: []string{"crm@1.lookup"}}); err == nil {
			t.Error("a set that has ended came back")
		}
	})
}

func TestAddRefuses(t *testing.T) {
	caps, _ := offer()
	set, err := NewSet(caps, nil, Grant{Uses: []string{"crm@1.lookup"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Grant{{}, {Uses: []string{"crm@1.nothing"}}, {Paths: []string{"docs/**"}, Mode: Read}, {Uses: []string{"crm@1.lookup"}, Expires: time.Now().Add(-time.Hour)}} {
		if err := set.Add(g); err == nil {
			t.Errorf("%+v was added", g)
		}
	}
	for range MaxGrants - 1 {
		if err := set.Add(Grant{Uses: []string{"crm@1.remove"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Add(Grant{Uses: []string{"crm@1.remove"}}); err == nil {
		t.Error("there is no end of grants")
	}
	set.Revoke()
	if err := set.Add(Grant{Uses: []string{"crm@1.remove"}}); err == nil {
		t.Error("a revoked set was added to")
	}
	all := Everything(caps, nil)
	defer all.Revoke()
	if err := all.Add(Grant{Uses: []string{"crm@1.remove"}}); err == nil {
		t.Error("everything was added to")
	}
	var none *Set
	if err := none.Add(Grant{Uses: []string{"crm@1.remove"}}); err == nil {
		t.Error("a nil set was added to")
	}
}
