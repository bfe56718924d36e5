package playground

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
)

// tokenHeader carries the token of a request that changes something. Another
// origin can't set it without being allowed to, which nobody is.
const tokenHeader = "X-Playground-Token"

// A call is a request to the API that may proceed.
type call struct {
	w         http.ResponseWriter
	r         *http.Request
	principal string
	bench     *workbench.Bench
}

// guard lets requests of the page itself through to h, and answers h's errors.
func (p *page) guard(h func(*call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Cache-Control", "no-store")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
		if err := p.admit(w, r, h); err != nil {
			p.fail(w, r, err)
		}
	})
}

func (p *page) admit(w http.ResponseWriter, r *http.Request, h func(*call) error) error {
	principal := p.principal(r)
	if err := p.sameOrigin(r, principal); err != nil {
		return err
	}
	bench, err := p.group.Bench(r.Context(), principal)
	if err != nil {
		return err
	}
	return h(&call{w, r, principal, bench})
}

// sameOrigin refuses what the page itself would not send. Reading is refused to
// others as well: an answer in another site's process is one bug from being read.
func (p *page) sameOrigin(r *http.Request, principal string) error {
	foreign := &host.Error{Code: host.Denied, Message: "Only the playground's own page may ask for this."}
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
	case "": // old browsers and plain http send nothing
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
				return foreign
			}
		}
	case "none": // typed into the address bar
		if !safe {
			return foreign
		}
	default:
		return foreign
	}
	if safe {
		return nil
	}
	if http.NewCrossOriginProtection().Check(r) != nil || r.Header.Get("Origin") == "null" {
		return foreign
	}
	if !hmac.Equal([]byte(r.Header.Get(tokenHeader)), []byte(p.token(principal))) {
		return &host.Error{Code: host.Denied, Message: "The page's token is missing or no longer holds.", Hint: "Get a new one from api/session.", Retry: true}
	}
	return nil
}

// token is what a person's page proves itself with, until the program restarts.
func (p *page) token(principal string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(principal))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
