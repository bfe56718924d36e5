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
	Issued    int64     `json:"t"` // in Unix nanoseconds
}

var errToken = errors.New("canvas: the path's token does not hold")

// A sealer issues and opens tokens. It is safe for concurrent use.
type sealer struct {
	key []byte

	mu      sync.Mutex         // guards what follows
	used    map[[16]byte]int64 // by tag; when it last held
	revoked map[string]int64   // by principal; tokens issued until then are void
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
	return &sealer{key: append([]byte(nil), key...), used: map[[16]byte]int64{}, revoked: map[string]int64{}}, nil
}

func (s *sealer) tag(body string) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte("samkit.dev/canvas path 1\n"))
	m.Write([]byte(body))
	return m.Sum(nil)
}

// seal returns the path element that carries g.
func (s *sealer) seal(g grant) string {
	data, err := json.Marshal(g)
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	body := base64.RawURLEncoding.EncodeToString(data)
	return tokenPrefix + body + "." + base64.RawURLEncoding.EncodeToString(s.tag(body))
}

// open returns what a token says, if it was sealed with this key, is not
// revoked and was used within its life. Holding, it starts a new life.
func (s *sealer) open(token string, now time.Time) (grant, error) {
	var g grant
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	if !ok || len(token) > maxToken {
		return g, errToken
	}
	body, sum, ok := strings.Cut(rest, ".")
	if !ok {
		return g, errToken
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(sum)
	want := s.tag(body)
	if err != nil || subtle.ConstantTimeCompare(got, want) != 1 {
		return g, errToken
	}
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(data, &g) != nil {
		return grant{}, errToken
	}
	if !s.touch([16]byte(want[:16]), g, now.UnixNano()) {
		return grant{}, errToken
	}
	return g, nil
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
	s.revoked[principal] = now.UnixNano()
}

var tokenRE = regexp.MustCompile(`~1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`)

// redact takes tokens out of a text that will be read elsewhere.
func redact(text string) string {
	if !strings.Contains(text, tokenPrefix) {
		return text
	}
	return tokenRE.ReplaceAllString(text, "~")
}
