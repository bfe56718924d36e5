package box

import (
	"bufio"
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"samkit.dev/internal/netguard"
)

// maxTunnels is how many connections of one command are open at once.
const maxTunnels = 256

// A proxy is the only way from a command to the network: an HTTP proxy that makes requests and CONNECT
// tunnels to what is granted. Names are resolved here, once, and the address that was checked is dialed. Each
// request is judged by itself, so a redirect leads no further than a request for its target would.
type proxy struct {
	guard   *netguard.Guard
	refused *refusals
	secret  string // that the command's variables hold; "" where nobody else reaches the listener
	forward *httputil.ReverseProxy
	server  *http.Server
	slots   chan struct{}

	ctx     context.Context // ends with the proxy; tunnels are its goroutines
	end     context.CancelFunc
	tunnels sync.WaitGroup
	serving sync.WaitGroup
}

// startProxy serves on a listener, which it closes.
func startProxy(l net.Listener, guard *netguard.Guard, secret string, refused *refusals) *proxy {
	p := &proxy{guard: guard, refused: refused, secret: secret, slots: make(chan struct{}, maxTunnels)}
	p.ctx, p.end = context.WithCancel(context.Background())
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	p.forward = &httputil.ReverseProxy{
		Transport: &http.Transport{DialContext: guard.DialContext, DisableCompression: true, MaxResponseHeaderBytes: 256 << 10, ResponseHeaderTimeout: 2 * time.Minute, IdleConnTimeout: 10 * time.Second},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.URL.Host // not what a Host header says beside it
			r.Out.Header.Del("Proxy-Authorization")
			r.Out.Header.Del("Proxy-Connection")
		},
		FlushInterval: -1,
		ErrorHandler:  p.fail,
		ErrorLog:      quiet,
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, MaxHeaderBytes: 256 << 10, ErrorLog: quiet}
	p.serving.Go(func() { _ = p.server.Serve(l) })
	return p
}

// close ends all connections and waits for them.
func (p *proxy) close() {
	p.end()
	_ = p.server.Close()
	p.serving.Wait()
	p.tunnels.Wait()
	p.forward.Transport.(*http.Transport).CloseIdleConnections()
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.authorized(r) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="box"`)
		http.Error(w, "this proxy is a command's own", http.StatusProxyAuthRequired)
		return
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		http.Error(w, fmt.Sprintf("the command has %d connections open already", maxTunnels), http.StatusServiceUnavailable)
		return
	}
	if r.Method == http.MethodConnect {
		p.connect(w, r)
		return
	}
	target, err := requested(r)
	if err == nil {
		err = p.guard.Check(target)
	}
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.forward.ServeHTTP(w, r)
}

func (p *proxy) authorized(r *http.Request) bool {
	if p.secret == "" {
		return true
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("box:"+p.secret))
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(want)) == 1
}

// requested is what a request for a proxy names.
func requested(r *http.Request) (netguard.Target, error) {
	if r.URL.Scheme != "http" || r.URL.Opaque != "" {
		return netguard.Target{}, refusedText(r.URL.Redacted(), "a request to a proxy names an http URL; https goes through CONNECT")
	}
	if r.URL.User != nil {
		return netguard.Target{}, refusedText(r.URL.Redacted(), "its URL holds a user name")
	}
	t, err := netguard.ParseTarget("http://" + strings.ToLower(r.URL.Host))
	if err != nil {
		return t, refusedText((&url.URL{Scheme: "http", Host: r.URL.Host}).String(), err.Error())
	}
	r.URL.Host = t.Authority() // the form that was judged is the one that is dialed
	return t, nil
}

func refusedText(target, reason string) error {
	return &netguard.RefusedError{Target: target, Reason: reason}
}

// fail tells the command, and records what was refused.
func (p *proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *netguard.RefusedError
	if !errors.As(err, &refused) {
		http.Error(w, "the proxy did not reach it: "+err.Error(), http.StatusBadGateway)
		return
	}
	what := refused.Target
	if !strings.Contains(what, "://") && r.Method != http.MethodConnect { // refused when it was dialed
		what = "http://" + r.URL.Host
	}
	p.refused.add(Refusal{Kind: "network", What: what, Reason: refused.Reason, Entry: refused.Entry})
	http.Error(w, what+" is refused: "+refused.Reason, http.StatusForbidden)
}

// connect makes a tunnel. Those that begin with TLS name the host that was granted, so that a granted host that
// serves many names does not lead to the others.
func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	host := strings.ToLower(r.Host)
	target, err := netguard.ParseTarget("https://" + host)
	if err != nil {
		p.fail(w, r, refusedText(host, err.Error()))
		return
	}
	if err = p.guard.Check(target); err != nil {
		if plain := (netguard.Target{Scheme: "http", Host: target.Host, Port: target.Port}); p.guard.Check(plain) == nil {
			err = nil
		}
	}
	var far net.Conn
	if err == nil {
		far, err = p.guard.DialContext(r.Context(), "tcp", net.JoinHostPort(target.Host, fmt.Sprint(target.Port)))
	}
	if err != nil {
		var refused *netguard.RefusedError
		if errors.As(err, &refused) {
			err = &netguard.RefusedError{Target: target.String(), Entry: refused.Entry, Reason: refused.Reason}
		}
		p.fail(w, r, err)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	p.tunnels.Add(1)
	defer p.tunnels.Done()
	defer near.Close()
	stop := context.AfterFunc(p.ctx, func() { near.Close(); far.Close() })
	defer stop()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	if err := p.tunnel(near, buffered.Reader, far, target); err != nil {
		p.refused.add(Refusal{Kind: "network", What: target.String(), Reason: err.Error()})
	}
}

func (p *proxy) tunnel(near net.Conn, from *bufio.Reader, far net.Conn, target netguard.Target) error {
	var upstream io.Reader = from
	first, err := from.Peek(1)
	if err == nil && first[0] == tlsHandshake {
		read, name, known := hello(near, from)
		if !known {
			return errors.New("the connection's first message can't be read")
		}
		if name != "" && !strings.EqualFold(strings.TrimSuffix(name, "."), target.Host) {
			return fmt.Errorf("the connection asked for %.200q within", name)
		}
		upstream = io.MultiReader(strings.NewReader(read), from)
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(far, upstream)
		closeWrite(far)
	})
	_, _ = io.Copy(near, far)
	closeWrite(near)
	both.Wait()
	return nil
}

// tlsHandshake is the first byte of a connection with TLS.
const tlsHandshake = 22

func closeWrite(c net.Conn) {
	if c, ok := c.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

var errHello = errors.New("read")

// hello reads the first message of TLS, and returns what it read and the name in it.
func hello(near net.Conn, from *bufio.Reader) (read, name string, known bool) {
	var kept strings.Builder
	_ = near.SetReadDeadline(time.Now().Add(30 * time.Second))
	defer near.SetReadDeadline(time.Time{})
	conn := tls.Server(&listening{Conn: near, r: io.TeeReader(io.LimitReader(from, 64<<10), &kept)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, known = h.ServerName, true
			return nil, errHello
		},
	})
	_ = conn.Handshake()
	return kept.String(), name, known
}

// A listening connection hears and does not speak.
type listening struct {
	net.Conn
	r io.Reader
}

func (c *listening) Read(b []byte) (int, error)  { return c.r.Read(b) }
func (c *listening) Write(b []byte) (int, error) { return len(b), nil }
