// Package github gets public repositories from GitHub, for sam.Workspace.ImportRepo.
//
//	f, err := github.New(nil)
//	app, dropped, err := ws.ImportRepo(ctx, "hello", f, "owner/repo@v1:examples/hello")
//
// It asks the endpoint that needs no account, one request for a repository, with
// no credentials and no cookies, and connects to GitHub's public addresses and to
// nothing else, whatever a redirect says. A program that does not import this
// package reaches no code host.
package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"samkit.dev/internal/netguard"
	"samkit.dev/sam"
)

var _ sam.Fetcher = (*Fetcher)(nil)

// Options configures a [Fetcher]. Nil means the zero Options.
type Options struct {
	// API is where the endpoints begin: "https://github.example.com/api/v3" for a
	// server of one's own; "" means https://api.github.com.
	API string
	// Hosts may be redirected to, such as "codeload.example.com" or "127.0.0.1:8080":
	// names only to public addresses, addresses with their port. Nil means codeload.github.com.
	Hosts []string
}

// Bounds of a fetch.
const (
	maxRedirects = 5
	connectTime  = 10 * time.Second
	headTime     = 60 * time.Second // until a response begins; archives are made when asked for
	idleTime     = 30 * time.Second // between bytes
)

// A RateError reports that GitHub answers no more for a while.
type RateError struct {
	Until time.Time // zero if GitHub did not say
}

func (e *RateError) Error() string {
	if e.Until.IsZero() {
		return "github: too many requests from this address"
	}
	return "github: too many requests from this address; more at " + e.Until.UTC().Format(time.RFC3339)
}

// A Fetcher gets archives. It is safe for concurrent use and holds no connections.
type Fetcher struct {
	api    string
	client *http.Client
}

// New returns a Fetcher. It connects to nothing yet.
func New(opts *Options) (*Fetcher, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.API == "" {
		o.API = "https://api.github.com"
	}
	if o.Hosts == nil {
		o.Hosts = []string{"codeload.github.com"}
	}
	target, err := netguard.ParseTarget(o.API)
	if err != nil {
		return nil, fmt.Errorf("github: API %q: %w", o.API, err)
	}
	if u, err := url.Parse(o.API); err != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("github: API %q has more than a host and a path", o.API)
	}
	own := target.Scheme + "://" + net.JoinHostPort(target.Host, strconv.Itoa(int(target.Port)))
	list, err := netguard.ParseList(append([]string{own}, o.Hosts...))
	if err != nil {
		return nil, fmt.Errorf("github: Hosts: %w", err)
	}
	guard := &netguard.Guard{List: list}
	return &Fetcher{
		api: strings.TrimSuffix(o.API, "/"),
		client: &http.Client{
			Transport: &http.Transport{
				DialContext:            guard.DialContext,
				TLSHandshakeTimeout:    connectTime,
				ResponseHeaderTimeout:  headTime,
				MaxResponseHeaderBytes: 64 << 10,
				DisableKeepAlives:      true,
				DisableCompression:     true, // the archive itself is what is packed
			},
			CheckRedirect: func(req *http.Request, via []*http.Request) error {
				if len(via) > maxRedirects {
					return errors.New("github: too many redirects")
				}
				to, err := netguard.ParseTarget(req.URL.String())
				if err != nil {
					return err
				}
				return guard.Check(to)
			},
		},
	}, nil
}

// Fetch implements [sam.Fetcher]. The error is a [*RateError] if GitHub wants fewer requests.
func (f *Fetcher) Fetch(ctx context.Context, owner, repo, ref string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	res, err := f.get(ctx, f.address(owner, repo, ref))
	if err == nil && res.StatusCode != http.StatusOK {
		res.Body.Close()
		err = refusal(res, owner, repo, ref)
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return &body{ctx: ctx, cancel: cancel, r: res.Body}, nil
}

// address returns the URL of an archive, each part escaped.
func (f *Fetcher) address(owner, repo, ref string) string {
	a := f.api + "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(repo) + "/tarball"
	if ref == "" {
		return a
	}
	for part := range strings.SplitSeq(ref, "/") {
		a += "/" + url.PathEscape(part)
	}
	return a
}

func (f *Fetcher) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	req.Header.Set("User-Agent", "samkit") // GitHub answers nobody without a name
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	res, err := f.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	return res, nil
}

// refusal says what a response means that is no archive.
func refusal(res *http.Response, owner, repo, ref string) error {
	what := owner + "/" + repo
	if ref != "" {
		what += "@" + ref
	}
	switch res.StatusCode {
	case http.StatusNotFound, http.StatusUnprocessableEntity: // the latter for what is no ref
		return fmt.Errorf("github: there is no public %s: %w", what, fs.ErrNotExist)
	case http.StatusForbidden, http.StatusTooManyRequests:
		if until, limited := rate(res); limited {
			return &RateError{Until: until}
		}
	}
	return fmt.Errorf("github: %s: status %d", what, res.StatusCode)
}

// rate reports whether a response says that there were too many requests, and until when.
func rate(res *http.Response) (until time.Time, limited bool) {
	if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && s >= 0 && s < 1e7 {
		return time.Now().Add(time.Duration(s) * time.Second), true
	}
	if res.Header.Get("X-Ratelimit-Remaining") == "0" {
		if s, err := strconv.ParseInt(res.Header.Get("X-Ratelimit-Reset"), 10, 64); err == nil && s > 0 && s < 1<<40 {
			until = time.Unix(s, 0)
		}
		return until, true
	}
	return until, res.StatusCode == http.StatusTooManyRequests
}

var errIdle = fmt.Errorf("github: nothing came for %v", idleTime)

// A body is an archive as it comes. Closing it ends the request.
type body struct {
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	r      io.ReadCloser
}

func (b *body) Read(p []byte) (int, error) {
	idle := time.AfterFunc(idleTime, func() { b.cancel(errIdle) })
	n, err := b.r.Read(p)
	idle.Stop()
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.r.Close()
	b.cancel(nil)
	return err
}
