package canvastest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"samkit.dev/internal/hostile"
	"samkit.dev/sam"
)

// HostileOptions configures [Hostile]. The zero HostileOptions is usable.
type HostileOptions struct {
	Login func(*http.Request)      // adds a session to a navigation, as for Check
	Wall  time.Duration            // the engine's limit of that name; zero means 30 seconds
	Only  func(number string) bool // which cases to run; nil means all, or some in -short
}

// Hostile proves that apps which mean harm do none: it deploys some 400 of them behind h, one after the other,
// and has each answer a request. Whatever the code tries, the request ends in time, with a response or with an error that h gave it; what
// it must not find it does not find; and meanwhile and afterwards the app of a neighbour is served, and then the app
// itself. Cases are subtests, named by the numbers of THREATS.md.
//
// deploy makes an app of files, under a name of letters, digits and "-" that no other app has, and returns the path at
// which h serves it, with a slash at both ends. h may be a whole program, with its routes and middleware.
//
// Most cases run until a limit ends them. Give the apps small ones, or the corpus takes an hour: a CPU time of 200 milliseconds, a
// wall time of 2 seconds and 64 MiB are what it is made for.
func Hostile(t *testing.T, h http.Handler, deploy func(name string, files sam.Files) (path string, err error), opts *HostileOptions) {
	t.Helper()
	var o HostileOptions
	if opts != nil {
		o = *opts
	}
	if o.Wall <= 0 {
		o.Wall = 30 * time.Second
	}
	cases, err := hostile.Cases()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	defer srv.CloseClientConnections()
	s := &siege{url: srv.URL, deploy: deploy, opts: o}
	s.client = &http.Client{
		Timeout:       o.Wall + 30*time.Second,
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer s.client.CloseIdleConnections()
	if s.neighbour = s.found(t, "neighbour", neighbour); s.neighbour == nil {
		return
	}
	for i := range cases {
		c := &cases[i]
		switch {
		case c.ES() == "", o.Only != nil && !o.Only(c.Number), o.Only == nil && testing.Short() && i%20 != 0:
			continue
		}
		t.Run(c.Number, func(t *testing.T) { s.run(t, c) })
	}
}

// neighbour notices what others did to what they share.
const neighbour = `export default { fetch() {
	const spoilt = globalThis.polluted || {}.polluted || [].polluted
	return new Response(spoilt ? "polluted" : "ok")
} }`

// leeway is what a busy machine may take for a request beside its limit, and for one of the neighbour's.
const leeway = 10 * time.Second

// A siege is one run of Hostile.
type siege struct {
	url       string
	deploy    func(string, sam.Files) (string, error)
	opts      HostileOptions
	client    *http.Client
	neighbour *url.URL // its API
}

func (s *siege) run(t *testing.T, c *hostile.Case) {
	api := s.found(t, "hostile-"+c.Number, c.ES())
	if api == nil {
		return
	}
	s.visit(t, c, "before")
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.attack(t, c, api)
	}()
	time.Sleep(5 * time.Millisecond)
	s.visit(t, c, "during")
	<-done
	s.visit(t, c, "after")
	if c.Final {
		return
	}
	for range 2 { // what is left of a request may be too much for the next
		a, err := s.ask("HEAD", api, nil)
		if err == nil && a.StatusCode == http.StatusOK {
			return
		}
		if err == nil && a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: after, the app itself answers %d", c.Name, a.StatusCode)
			return
		}
	}
	t.Errorf("%s: after, the app itself is not served", c.Name)
}

// attack sends the request that the case is about.
func (s *siege) attack(t *testing.T, c *hostile.Case, api *url.URL) {
	var body []byte
	method := "GET"
	if c.Body > 0 {
		method, body = "POST", bytes.Repeat([]byte("x"), c.Body)
	}
	start := time.Now()
	a, err := s.ask(method, api, body)
	took := time.Since(start)
	if took > s.opts.Wall+leeway {
		t.Errorf("%s: ended after %v", c.Name, took)
	}
	switch code := a.code(); {
	case err != nil:
		t.Errorf("%s: no response: %v", c.Name, err)
	case a.broken != nil: // by a limit, or the code failed
	case code == "internal":
		t.Errorf("%s: the runtime failed: %s", c.Name, clip(a.body))
	case code != "" && code != "not_found":
	case !ours(a.Header):
		t.Errorf("%s: the answer %d is not the handler's: %s", c.Name, a.StatusCode, clip(a.body))
	default:
		if harm := c.Harm(a.StatusCode, a.body); harm != "" {
			t.Errorf("%s: %s", c.Name, harm)
		}
	}
}

// visit has the neighbour answer. A busy machine may be late once.
func (s *siege) visit(t *testing.T, c *hostile.Case, when string) {
	var a reply
	var err error
	var took time.Duration
	for range 3 {
		start := time.Now()
		a, err = s.ask("GET", s.neighbour, nil)
		if took = time.Since(start); err == nil && a.StatusCode != http.StatusServiceUnavailable && took < leeway {
			break
		}
	}
	switch {
	case err != nil:
		t.Errorf("%s: %s, the neighbour is not served: %v", c.Name, when, err)
	case a.StatusCode != http.StatusOK || a.body != "ok":
		t.Errorf("%s: %s, the neighbour answers %d: %s", c.Name, when, a.StatusCode, clip(a.body))
	case took > leeway:
		t.Errorf("%s: %s, the neighbour waits %v", c.Name, when, took)
	}
}

// found deploys an app and finds its API as its page does. It returns nil if there is none.
func (s *siege) found(t *testing.T, name, code string) *url.URL {
	t.Helper()
	path, err := s.deploy(name, sam.Files{"index.html": "<!doctype html><p>" + name, "functions.js": code})
	if err != nil {
		t.Fatalf("deploy %s: %v", name, err)
	}
	c := &check{t: t, url: s.url, path: path, login: s.opts.Login, client: s.client}
	if _, ok := c.navigate(); !ok {
		return nil
	}
	api, err := c.page.Parse("api/hostile")
	if err != nil {
		t.Errorf("canvastest: %v", err)
		return nil
	}
	return api
}

// A reply is a response and what came of its body.
type reply struct {
	*http.Response
	body   string // its beginning
	broken error  // what ended it early
}

// ask sends a request as the app's page does.
func (s *siege) ask(method string, to *url.URL, body []byte) (reply, error) {
	req, err := http.NewRequest(method, to.String(), bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for i := 0; i < len(call); i += 2 {
		req.Header.Set(call[i], call[i+1])
	}
	res, err := s.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	var start strings.Builder
	_, err = io.Copy(&start, io.LimitReader(res.Body, 64<<10))
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
	}
	return reply{res, start.String(), err}, nil
}

// code is that of an error of the handler's, or "".
func (r reply) code() string {
	var f struct{ Error string }
	if r.Response == nil || r.StatusCode < 400 || json.Unmarshal([]byte(r.body), &f) != nil {
		return ""
	}
	return f.Error
}
