// Package peer runs the same workers in samkit and in workerd, which Miniflare gives
// its bindings, and asks them the same.
//
//	both, err := peer.Open(ctx, engine.InProcess)
//	...
//	defer both.Close()
//	samkit, workerd, err := both.Ask(ctx, peer.Worker{Files: map[string]string{"worker.js": source}}, "/")
//
// It needs Node and npm; Require says so to a test. What the programs in ../js need is
// installed when it is first used.
package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"samkit.dev/host/engine"
)

// Date is the compatibility date of all workers: a recent one that the pinned workerd knows.
const Date = "2026-04-01"

// A Worker is what a runtime runs: an ES module with a default export, env.KV and env.DB.
type Worker struct {
	Name     string            // in messages; letters, digits and dashes; empty means "worker"
	Files    map[string]string // source by path; they import each other by relative paths
	Entry    string            // one of Files; empty means "worker.js"
	Packages []string          // npm packages that the files import, installed by ../js/package.json
	Vars     map[string]string // env.NAME
	Flags    []string          // compatibility flags, such as "nodejs_compat"
	Fetch    []string          // what it may fetch, as canvas.App.Fetch; workerd grants all

	// Production hides from visitors why something failed, and has libraries see
	// NODE_ENV "production" instead of "development".
	Production bool
}

func (w Worker) withDefaults() Worker {
	if w.Name == "" {
		w.Name = "worker"
	}
	if w.Entry == "" {
		w.Entry = "worker.js"
	}
	return w
}

// A Runtime starts workers. It is safe for concurrent use.
type Runtime interface {
	// Start runs workers, whose names differ, and returns their servers in the same
	// order. One that can't be bundled or started is an error.
	Start(ctx context.Context, workers ...Worker) ([]*Server, error)
	// Close ends all workers.
	Close() error
}

// A Server is a worker that runs.
type Server struct {
	URL    string // http://127.0.0.1:PORT
	Bundle int    // bytes of the module that the worker is; 0 in samkit
	close  func()
}

// Close ends the worker and, in workerd, those that were started with it.
func (s *Server) Close() { s.close() }

// An Answer is what a worker answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

func (a Answer) String() string { return fmt.Sprintf("%d %s", a.Status, a.Body) }

// Get asks for a path, such as "/a?b".
func (s *Server) Get(ctx context.Context, path string) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return Answer{}, err
	}
	return Do(req)
}

// Do sends a request, which begins with the URL of a server, and reads the answer.
// Redirects are answers as well.
func Do(req *http.Request) (Answer, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header, body}, err
}

// Both is the two runtimes side by side.
type Both struct {
	Samkit, Workerd Runtime
}

// Open starts both; samkit at a level of isolation. The caller closes it.
func Open(ctx context.Context, level engine.Isolation) (*Both, error) {
	s, err := OpenSamkit(level)
	if err != nil {
		return nil, err
	}
	w, err := OpenWorkerd(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &Both{s, w}, nil
}

// Close ends both.
func (b *Both) Close() error { return errors.Join(b.Samkit.Close(), b.Workerd.Close()) }

// Ask runs a worker in both, asks each for a path and ends it.
func (b *Both) Ask(ctx context.Context, w Worker, path string) (samkit, workerd Answer, err error) {
	if samkit, err = ask(ctx, b.Samkit, w, path); err != nil {
		return samkit, workerd, fmt.Errorf("samkit: %w", err)
	}
	if workerd, err = ask(ctx, b.Workerd, w, path); err != nil {
		return samkit, workerd, fmt.Errorf("workerd: %w", err)
	}
	return samkit, workerd, nil
}

func ask(ctx context.Context, r Runtime, w Worker, path string) (Answer, error) {
	servers, err := r.Start(ctx, w)
	if err != nil {
		return Answer{}, err
	}
	defer servers[0].Close()
	return servers[0].Get(ctx, path)
}
