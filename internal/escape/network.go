package escape

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// A network is all that a browser can reach: a proxy behind which one handler answers for
// every host, with TLS on port 443 and without on any other. So names have their usual ports,
// nothing needs a name server or privileges, and nothing leaves the machine.
type network struct {
	proxy string // URL for the browser's settings
	spki  string // the hash of the key of every certificate

	key     *ecdsa.PrivateKey
	certs   sync.Map          // *tls.Certificate by name
	connect func(host string) // told of every connection
	servers []*http.Server
	secure  conns
	plain   conns
}

func newNetwork(h http.Handler, connect func(host string)) (*network, error) {
	n := &network{connect: connect, secure: newConns(), plain: newConns()}
	var err error
	if n.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(&n.key.PublicKey)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(public)
	n.spki = base64.StdEncoding.EncodeToString(sum[:])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n.proxy = "http://" + l.Addr().String()
	serve := func(h http.Handler, serve func(*http.Server) error) {
		s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
		n.servers = append(n.servers, s)
		go serve(s) // ends with close
	}
	serve(h, func(s *http.Server) error {
		s.TLSConfig = &tls.Config{GetCertificate: n.certificate}
		return s.ServeTLS(n.secure, "", "")
	})
	serve(h, func(s *http.Server) error { return s.Serve(n.plain) })
	serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			h.ServeHTTP(w, r)
			return
		}
		n.tunnel(w, r)
	}), func(s *http.Server) error { return s.Serve(l) })
	return n, nil
}

func (n *network) close() {
	for _, s := range n.servers {
		s.Close()
	}
}

// tunnel hands what comes over a connection to one of the servers.
func (n *network) tunnel(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n.connect(host)
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	to := n.plain
	if port == "443" {
		to = n.secure
	}
	to.give(&readConn{conn, buf.Reader})
}

// certificate makes one for whatever name a browser asks for.
func (n *network) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c, ok := n.certs.Load(hello.ServerName); ok {
		return c.(*tls.Certificate), nil
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "escape"}, DNSNames: []string{hello.ServerName},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &n.key.PublicKey, n.key)
	if err != nil {
		return nil, err
	}
	c, _ := n.certs.LoadOrStore(hello.ServerName, &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: n.key})
	return c.(*tls.Certificate), nil
}

// A readConn reads first what was read ahead.
type readConn struct {
	net.Conn
	r *bufio.Reader
}

func (c *readConn) Read(p []byte) (int, error) { return c.r.Read(p) }

// conns is a net.Listener of connections that are given to it.
type conns struct {
	queue chan net.Conn
	done  chan struct{}
	once  *sync.Once
}

func newConns() conns {
	return conns{make(chan net.Conn), make(chan struct{}), new(sync.Once)}
}

func (c conns) give(conn net.Conn) {
	select {
	case c.queue <- conn:
	case <-c.done:
		conn.Close()
	}
}

func (c conns) Accept() (net.Conn, error) {
	select {
	case conn := <-c.queue:
		return conn, nil
	case <-c.done:
		return nil, net.ErrClosed
	}
}

func (c conns) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c conns) Addr() net.Addr { return &net.TCPAddr{} }
