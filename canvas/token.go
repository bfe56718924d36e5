package canvas

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
)

// tokenPrefix starts the path element that holds a token. The digit is the
// version of its form.
const tokenPrefix = "~1."

// tokenLife is how long a token holds after it was issued or last used.
const tokenLife = 12 * time.Hour

// maxToken bounds a path element that is looked at as a token.
const maxToken = 2048

// A grant is what a sealed path says about its visitor.
type grant struct {
	Project   string    `json:"p,omitempty"`
	Role      host.Role `json:"r"`
	Principal string    `json:"u,omitempty"`
	Session   string    `json:"s,omitempty"`
	Issued    int64     `json:"t"`           // in Unix nanoseconds
	Label     string    `json:"h,omitempty"` // of the app's host, in a ticket and a session
	Browser   string    `json:"b,omitempty"` // hash of a secret, in a ticket
}

// A purpose is what a grant was sealed for. It holds for nothing else.
type purpose string

const (
	usePath    purpose = "path"
	useTicket  purpose = "ticket"  // in a URL, once
	useSession purpose = "session" // in a cookie
)

var errToken = errors.New("canvas: the path's token does not hold")

// A sealer issues and opens tokens. It is safe for concurrent use.
type sealer struct {
	key []byte

	mu      sync.Mutex         // guards what follows
	used    map[[16]byte]int64 // by tag; when it last held
	revoked map[string]int64   // by principal; tokens issued until then are void
	prune   int                // from how many of them on those are looked for that no token outlives
	spent   map[[16]byte]int64 // tickets by tag; when they were issued
}

// maxUsed bounds the uses remembered; the oldest are forgotten, which ends
// those tokens tokenLife after they were issued.
const maxUsed = 50_000

func newSealer(key []byte) (*sealer, error) {
	if key == nil {
		key = make([]byte, 32)
		rand.Read(key)
	}
	if len(key) != 32 {
		return nil, fmt.Errorf("canvas: Options.Key has %d bytes, want 32", len(key))
	}
	return &sealer{key: append([]byte(nil), key...), used: map[[16]byte]int64{}, revoked: map[string]int64{}, spent: map[[16]byte]int64{}}, nil
}

func (s *sealer) tag(use purpose, body string) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte("samkit.dev/canvas " + string(use) + " 1\n"))
	m.Write([]byte(body))
	return m.Sum(nil)
}

// seal returns the path element that carries g.
func (s *sealer) seal(g grant) string { return tokenPrefix + s.sealFor(usePath, g) }

// sealFor returns g in letters, digits and "-_.".
func (s *sealer) sealFor(use purpose, g grant) string {
	data, err := json.Marshal(g)
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	body := base64.RawURLEncoding.EncodeToString(data)
	return body + "." + base64.RawURLEncoding.EncodeToString(s.tag(use, body))
}

// name stands for whom g lets in, and as what. It lets nobody in itself.
func (s *sealer) name(g grant) string {
	g.Issued, g.Browser = 0, ""
	_, sum, _ := strings.Cut(s.sealFor("name", g), ".")
	return sum[:22]
}

// open returns what a token says, if it was sealed with this key, is not
// revoked and was used within its life. Holding, it starts a new life.
func (s *sealer) open(token string, now time.Time) (grant, error) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	if !ok {
		return grant{}, errToken
	}
	return s.openLasting(usePath, rest, now)
}

// openSession is open for the cookie on an app's own host.
func (s *sealer) openSession(sealed string, now time.Time) (grant, error) {
	return s.openLasting(useSession, sealed, now)
}

func (s *sealer) openLasting(use purpose, sealed string, now time.Time) (grant, error) {
	g, id, err := s.read(use, sealed)
	if err != nil || !s.touch(id, g, now.UnixNano()) {
		return grant{}, errToken
	}
	return g, nil
}

// openTicket returns what a ticket says, if it was sealed with this key for
// this browser within its life, is not revoked, and was not opened before.
func (s *sealer) openTicket(sealed, browser string, now time.Time) (grant, error) {
	g, id, err := s.read(useTicket, sealed)
	if err != nil || subtle.ConstantTimeCompare([]byte(g.Browser), []byte(browser)) != 1 || !s.spend(id, g, now.UnixNano()) {
		return grant{}, errToken
	}
	return g, nil
}

// spend reports whether a genuine ticket holds, for the last time.
func (s *sealer) spend(id [16]byte, g grant, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.Issued <= s.revoked[g.Principal] || now-g.Issued > int64(ticketLife) || g.Issued-now > int64(ticketLife) {
		return false
	}
	if _, again := s.spent[id]; again {
		return false
	}
	if len(s.spent) >= maxUsed {
		maps.DeleteFunc(s.spent, func(_ [16]byte, issued int64) bool { return now-issued > 2*int64(ticketLife) })
		if len(s.spent) >= maxUsed {
			return false // those that hold must not be forgotten
		}
	}
	s.spent[id] = g.Issued
	return true
}

// read returns what was sealed with this key, and its tag.
func (s *sealer) read(use purpose, sealed string) (g grant, id [16]byte, err error) {
	body, sum, ok := strings.Cut(sealed, ".")
	if !ok || len(sealed) > maxToken {
		return g, id, errToken
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(sum)
	want := s.tag(use, body)
	if err != nil || subtle.ConstantTimeCompare(got, want) != 1 {
		return g, id, errToken
	}
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(data, &g) != nil {
		return grant{}, id, errToken
	}
	return g, [16]byte(want[:16]), nil
}

// touch reports whether a genuine token still holds, and if so notes its use.
func (s *sealer) touch(id [16]byte, g grant, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.Issued <= s.revoked[g.Principal] {
		return false
	}
	last := max(g.Issued, s.used[id])
	if now-last > int64(tokenLife) || g.Issued-now > int64(time.Minute) {
		return false
	}
	if now-last > int64(time.Minute) { // the minute spares a write for most requests
		if len(s.used) >= maxUsed {
			s.forget(now)
		}
		s.used[id] = now
	}
	return true
}

// forget drops uses that no longer matter, and half of the rest if none did.
// The caller holds mu.
func (s *sealer) forget(now int64) {
	for id, at := range s.used {
		if now-at > int64(tokenLife) {
			delete(s.used, id)
		}
	}
	for id := range s.used {
		if len(s.used) <= maxUsed/2 {
			break
		}
		delete(s.used, id)
	}
}

// revoke voids the tokens issued to a person until now.
func (s *sealer) revoke(principal string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.revoked) >= max(s.prune, minPrune) {
		// What was issued until then was not used since, so it does not hold any more, either.
		maps.DeleteFunc(s.revoked, func(_ string, at int64) bool { return now.UnixNano()-at > int64(tokenLife) })
		s.prune = 2 * len(s.revoked)
	}
	s.revoked[principal] = now.UnixNano()
}

// minPrune is how many people may be known as revoked at least.
const minPrune = 1000

var (
	tokenRE  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`~1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`) })
	ticketRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`ticket=[A-Za-z0-9_.-]+`) })
)

// redact takes tokens out of a text that will be read elsewhere.
func redact(text string) string {
	if strings.Contains(text, "~enter?") {
		text = ticketRE().ReplaceAllString(text, "ticket=…")
	}
	if !strings.Contains(text, tokenPrefix) {
		return text
	}
	return tokenRE().ReplaceAllString(text, "~")
}
