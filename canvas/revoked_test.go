package canvas

import (
	"fmt"
	"testing"
	"time"
)

// Who was revoked is known as long as something of theirs could hold, and no longer.
func TestRevocationsAreForgotten(t *testing.T) {
	s, err := newSealer(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	old := s.seal(grant{Principal: "ada", Issued: now.UnixNano()})
	s.revoke("ada", now)
	for i := range 20 * minPrune {
		now = now.Add(time.Minute)
		s.revoke(fmt.Sprint("p", i), now)
		if i%minPrune == 0 {
			if _, err := s.open(old, now); err == nil {
				t.Fatalf("after %d revocations an old token holds again", i)
			}
		}
	}
	if n := len(s.revoked); n > 3*minPrune {
		t.Errorf("%d revocations are known", n)
	}

	p := newPeople()
	before := p.revocations.Load()
	p.revoke("ada")
	after := p.revocations.Load()
	for i := range 3*maxRevoked + 1 {
		p.revoke(fmt.Sprint("p", i))
	}
	if p.join("ada", before) != nil {
		t.Error("a request from before the revocation joins")
	}
	if p.join("bob", after) != nil {
		t.Error("a request from before what was forgotten joins")
	}
	if p.join("ada", p.revocations.Load()) == nil {
		t.Error("a new request does not join")
	}
	if n := len(p.revoked); n > maxRevoked {
		t.Errorf("%d revocations are known", n)
	}
}
