package canvas

import (
	"errors"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func TestNobodySlipsPastARevocation(t *testing.T) {
	p := newPeople()
	began := p.revocations.Load()
	running := p.join("ann", began)
	bob := p.join("bob", began)
	if p.join("ann", began) != running {
		t.Error("two requests of a person have two lives")
	}
	p.revoke("ann")
	if running.Err() == nil || bob.Err() != nil {
		t.Errorf("after ann's end: %v, bob's %v", running.Err(), bob.Err())
	}
	if p.join("ann", began) != nil {
		t.Error("a request that began before joins after")
	}
	if p.join("bob", began) != bob {
		t.Error("bob has another life")
	}
	next := p.join("ann", p.revocations.Load())
	if next == nil || next.Err() != nil {
		t.Error("ann may not come again")
	}
	runtime.KeepAlive(bob)
}

func TestLivesAreForgottenWithTheirRequests(t *testing.T) {
	p := newPeople()
	for _, name := range []string{"ann", "bob"} {
		if p.join(name, 0) == nil {
			t.Fatal("no life")
		}
	}
	held := p.join("eve", 0)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		p.mu.Lock()
		n := len(p.lives)
		p.mu.Unlock()
		if n == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d lives are kept", n)
		}
	}
	if p.join("eve", 0) != held {
		t.Error("a life that a request holds is gone")
	}
}

func TestRevokeEndsSockets(t *testing.T) {
	r := serveApp(t, echoApp, &Options{Principal: principal})
	srv := httptest.NewServer(r.mux)
	defer srv.Close()
	at := follow(t, "/p/", r.get("/p/", as("ann", page...)...))
	others := follow(t, "/p/", r.get("/p/", as("bob", page...)...))
	anns, _, err := dial(t, srv.URL+at+"api/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	bobs, _, err := dial(t, srv.URL+others+"api/chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Revoke("ann")
	var bye websocket.CloseError
	if _, _, err := anns.Read(t.Context()); !errors.As(err, &bye) || bye.Code != websocket.StatusPolicyViolation {
		t.Errorf("ann's socket: %v", err)
	}
	if err := bobs.Write(t.Context(), websocket.MessageText, []byte("hi")); err != nil {
		t.Error(err)
	}
	if _, data, err := bobs.Read(t.Context()); string(data) != "echo hi" {
		t.Errorf("bob's socket: %s %v", data, err)
	}
}
