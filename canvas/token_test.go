package canvas

import (
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
)

func testSealer(t testing.TB) *sealer {
	t.Helper()
	s, err := newSealer([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTokenRoundTrip(t *testing.T) {
	s, now := testSealer(t), time.Unix(1_800_000_000, 0)
	want := grant{Project: "notes", Role: host.App, Principal: "ann", Session: "s1", Issued: now.UnixNano()}
	tok := s.seal(want)
	if !validPath(tok) {
		t.Errorf("token %q is no path element", tok)
	}
	got, err := s.open(tok, now)
	if err != nil || got != want {
		t.Fatalf("open = %+v, %v; want %+v", got, err, want)
	}
	if strings.Contains(redact("at https://h/notes/"+tok+"/a.js:1:2"), tok) {
		t.Error("redact left the token")
	}
}

func TestTokenRefused(t *testing.T) {
	s, now := testSealer(t), time.Unix(1_800_000_000, 0)
	tok := s.seal(grant{Project: "notes", Principal: "ann", Issued: now.UnixNano()})
	other, err := newSealer(nil)
	if err != nil {
		t.Fatal(err)
	}
	flipped := []byte(tok)
	flipped[len(tokenPrefix)+3] ^= 1
	for name, bad := range map[string]string{
		"empty": "", "prefix": tokenPrefix, "no tag": tokenPrefix + "abc", "changed": string(flipped),
		"cut": tok[:len(tok)-2], "longer": tok + "A", "foreign key": other.seal(grant{Issued: now.UnixNano()}),
		"from the future": s.seal(grant{Issued: now.Add(time.Hour).UnixNano()}),
		"huge":            tokenPrefix + strings.Repeat("A", 1<<20) + ".A",
	} {
		if _, err := s.open(bad, now); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if _, err := newSealer([]byte("short")); err == nil {
		t.Error("a short key was accepted")
	}
}

func TestTokenSlides(t *testing.T) {
	s, start := testSealer(t), time.Unix(1_800_000_000, 0)
	tok := s.seal(grant{Principal: "ann", Issued: start.UnixNano()})
	for h := 0; h <= 33; h += 11 { // each use starts another 12 hours
		if _, err := s.open(tok, start.Add(time.Duration(h)*time.Hour)); err != nil {
			t.Fatalf("after %d h: %v", h, err)
		}
	}
	if _, err := s.open(tok, start.Add((33+13)*time.Hour)); err == nil {
		t.Error("held 13 hours after its last use")
	}
}

func TestTokenRevoked(t *testing.T) {
	s, now := testSealer(t), time.Unix(1_800_000_000, 0)
	ann := s.seal(grant{Principal: "ann", Issued: now.UnixNano()})
	bob := s.seal(grant{Principal: "bob", Issued: now.UnixNano()})
	s.revoke("ann", now)
	if _, err := s.open(ann, now); err == nil {
		t.Error("a revoked token holds")
	}
	if _, err := s.open(bob, now); err != nil {
		t.Error("another person's token was revoked")
	}
	again := s.seal(grant{Principal: "ann", Issued: now.Add(time.Second).UnixNano()})
	if _, err := s.open(again, now.Add(time.Second)); err != nil {
		t.Error("a token issued after the revocation does not hold")
	}
}

func FuzzToken(f *testing.F) {
	f.Add("~1.e30.AAAA")
	f.Add("~1..")
	f.Add(testSealer(f).seal(grant{Principal: "x", Issued: 1}))
	s, now := testSealer(f), time.Unix(1_800_000_000, 0)
	f.Fuzz(func(t *testing.T, tok string) {
		if g, err := s.open(tok, now); err == nil && s.seal(g) != tok {
			t.Fatalf("opened %q, which seal does not make", tok)
		}
		redact(tok)
	})
}

func nowForTest() int64 { return time.Now().UnixNano() }
