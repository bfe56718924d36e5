// Package outbound carries out what functions.js fetches: it checks, connects, follows
// redirects, decodes and bounds, and records every call.
//
// What it gets comes from a worker that may be hostile, and what it reads from a server that
// may be. So a URL counts only if it is what the URL standard makes of it, every
// hop is checked like the first, and whatever has a size has a limit.
package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"samkit.dev/host"
	"samkit.dev/internal/netguard"
	"samkit.dev/internal/workers"
)

// Options configures a [Client]. Only Guard is required.
type Options struct {
	Guard   *netguard.Guard
	TLS     *tls.Config   // nil means the system's roots
	Connect time.Duration // until a connection is there, and again until its TLS is; zero means 10 seconds
	Head    time.Duration // until a response begins, for each hop; zero means 100 seconds
	Idle    time.Duration // between bytes of a body; zero means 100 seconds
	Live    int           // requests at once; zero means 256
}

// A Client carries out the requests of one project. It is safe for concurrent use.
type Client struct {
	opts      Options
	transport *http.Transport
	live      chan struct{} // one for each request that has not ended
	windows   budget        // of decoders
}

// A Record is one call of fetch, after it ended.
type Record struct {
	host.Call
	Time     time.Time
	Duration time.Duration // until the body of the response was read or given up
	Method   string
	URL      string // as asked for
	Status   int    // 0 if there was no response
	Code     string // "" if it succeeded
	Message  string // what the code was told; "" if it succeeded
	Hops     int    // redirects that were followed
	Sent     int64  // bytes of request bodies
	Received int64  // bytes of response bodies, before they are decoded
}

// Limits of a request, beside those that it brings.
const (
	maxURL     = 64 << 10
	maxHeader  = 1 << 20 // bytes of all headers, of a request and of a response
	maxHops    = 20
	maxWindows = 64 << 20 // bytes that decoders may hold
)

// New returns a client. The caller closes it.
func New(opts Options) *Client {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&opts.Connect, 10*time.Second)
	set(&opts.Head, 100*time.Second)
	set(&opts.Idle, 100*time.Second)
	if opts.Live == 0 {
		opts.Live = 256
	}
	c := &Client{opts: opts, live: make(chan struct{}, opts.Live), windows: budget{left: maxWindows}}
	c.transport = &http.Transport{ // without Proxy: the environment's is not asked
		DialContext:            c.dial,
		TLSClientConfig:        opts.TLS.Clone(),
		TLSHandshakeTimeout:    opts.Connect,
		DisableCompression:     true, // decoded here, within limits
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 32 << 20},
	}
	return c
}

// Close closes the connections that no request uses. Requests that run go on; their
// contexts end them.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

var errConnect = errors.New("no connection in time")

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Connect, errConnect)
	defer cancel()
	return c.opts.Guard.DialContext(ctx, network, address)
}

// Network returns what [workers.App] needs. record is called once for every call of fetch,
// when it has ended, by any goroutine; it must not block. Nil discards.
func (c *Client) Network(record func(Record)) func(context.Context, *workers.Outbound) (*workers.Inbound, error) {
	return func(ctx context.Context, q *workers.Outbound) (*workers.Inbound, error) {
		call, _ := host.CallFrom(ctx)
		x := &exchange{c: c, q: q, record: record, rec: Record{Call: call, Time: time.Now(), Method: q.Method, URL: q.URL}}
		in, err := x.run(ctx)
		if err != nil {
			x.end(err)
			return nil, err
		}
		return in, nil
	}
}

// refused is the error for what is not granted.
func (c *Client) refused(e *netguard.RefusedError, from string) *workers.NetworkError {
	what := e.Target
	if from != "" {
		what = from + " redirects to " + e.Target
	}
	text := fmt.Sprintf("fetch failed: %s: %s", what, e.Reason)
	if c.opts.Guard.List.Empty() {
		text = fmt.Sprintf("fetch failed: this app has no access to the network, so it cannot reach %s", e.Target)
	}
	text += ". The program that serves this app can grant it"
	if e.Entry != "" {
		text += fmt.Sprintf(": canvas.App{Fetch: []string{%q}}", e.Entry)
	} else {
		text += " in canvas.App.Fetch"
	}
	return &workers.NetworkError{Code: "fetch_denied", Message: text + ".", Err: e}
}
