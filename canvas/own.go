package canvas

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"
	"samkit.dev/sam"
)

// An ownHosts knows the hosts of apps under [Own], and the program's.
type ownHosts struct {
	home   *url.URL // Options.Home
	domain string   // below which the apps' hosts are, in lower case
	port   string   // with its colon, or ""
	secure bool     // browsers keep Secure cookies of these hosts

	// shared: a browser may send the program's cookies to apps, and an app's page may set cookies
	// for the program, because both are below one domain that somebody registered.
	shared bool

	mu    sync.Mutex
	longs map[string]string // projects by label, where that has no room for them
}

// The parts of a host's first label, such as "notes--k3vq6w2mzt5ya4xbn7ce". The
// hash has 100 bits, so that nobody finds an owner's name that leads to
// somebody else's origin.
const (
	ownSeparator = "--"
	ownHash      = 20
	maxOwnName   = 63 - ownHash - len(ownSeparator) // of a project that a label has room for, and one more
	longPrefix   = "long-"
	maxLongs     = 100_000
)

var labelEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

func labelHash(what, text string, n int) string {
	sum := sha256.Sum256([]byte("samkit.dev/canvas " + what + " 1\n" + text))
	return strings.ToLower(labelEncoding.EncodeToString(sum[:]))[:n]
}

func newOwnHosts(opts *Options) (*ownHosts, error) {
	if opts.Domain == "" || opts.Home == "" {
		return nil, errors.New(`canvas: Own needs Options.Domain, such as "apps.example.net", and Options.Home, where the handler is mounted, such as "https://example.com/apps/"`)
	}
	home, err := url.Parse(opts.Home)
	if err != nil || home.Scheme != "https" && home.Scheme != "http" || !plainHost(home.Host) || home.User != nil ||
		home.RawQuery != "" || home.Fragment != "" || !strings.HasSuffix(home.Path, "/") {
		return nil, fmt.Errorf("canvas: Options.Home %q is no URL such as \"https://example.com/apps/\"", opts.Home)
	}
	home.Host = strings.ToLower(home.Host)
	domain, port, ported := strings.Cut(strings.ToLower(opts.Domain), ":")
	if !ported {
		port = home.Port()
	}
	if port == map[string]string{"http": "80", "https": "443"}[home.Scheme] {
		port = ""
	}
	if !validDomain(domain) || port != "" && strings.Trim(port, "0123456789") != "" {
		return nil, fmt.Errorf("canvas: Options.Domain %q is no domain such as \"apps.example.net\", in ASCII", opts.Domain)
	}
	o := &ownHosts{home: home, domain: domain, longs: map[string]string{}}
	if port != "" {
		o.port = ":" + port
	}
	if strings.HasSuffix(o.homeName(), "."+domain) {
		return nil, fmt.Errorf("canvas: the host of Options.Home lies below Options.Domain %q, which is for apps alone", opts.Domain)
	}
	o.secure = home.Scheme == "https" || domain == "localhost" || strings.HasSuffix(domain, ".localhost")
	site, err := publicsuffix.EffectiveTLDPlusOne(o.homeName())
	apps, err2 := publicsuffix.EffectiveTLDPlusOne("app." + domain)
	o.shared = err == nil && err2 == nil && site == apps
	return o, nil
}

// validDomain reports whether a label of 63 characters may stand before a domain.
func validDomain(domain string) bool {
	if _, err := netip.ParseAddr(domain); err == nil || len(domain) > 253-64 {
		return false
	}
	for part := range strings.SplitSeq(domain, ".") {
		if !validID(part) {
			return false
		}
	}
	return true
}

func (o *ownHosts) homeName() string { return o.home.Hostname() }

// homeOrigin is the program's origin.
func (o *ownHosts) homeOrigin() string { return o.home.Scheme + "://" + o.home.Host }

// sources are the apps' origins, as a page's policy names them.
func (o *ownHosts) sources() string { return o.home.Scheme + "://*." + o.domain + o.port }

// base is where a browser finds the app of a label.
func (o *ownHosts) base(label string) base {
	return base{scheme: o.home.Scheme, host: label + "." + o.domain + o.port, root: "/"}
}

// origin is a base without its slash.
func (o *ownHosts) origin(label string) string {
	b := o.base(label)
	return b.scheme + "://" + b.host
}

// label returns the first label of the host of a project, which no other owner's has.
func (o *ownHosts) label(p *sam.Project) string {
	id := string(p.ID())
	name := id
	if len(id) >= maxOwnName || id == "xn" || strings.HasPrefix(id, "xn--") { // "xn--" would be read as punycode
		name = longPrefix + labelHash("project", id, maxOwnName-len(longPrefix))
	}
	label := name + ownSeparator + labelHash("owner", p.Owner(), ownHash)
	if name != id {
		o.mu.Lock()
		defer o.mu.Unlock()
		if len(o.longs) >= maxLongs {
			clear(o.longs)
		}
		o.longs[label] = id
	}
	return label
}

// project returns the id that a label has room for, or that was met under it.
func (o *ownHosts) project(label string) (id string, ok bool) {
	i := len(label) - ownHash - len(ownSeparator)
	if i < 1 || len(label) > 63 || label[i:i+len(ownSeparator)] != ownSeparator {
		return "", false
	}
	if i < maxOwnName {
		return label[:i], validID(label[:i])
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	id, ok = o.longs[label]
	return id, ok
}

// A place is whose host a request is for.
type place uint8

const (
	elsewhere place = iota
	atHome          // the program's
	atApp           // an app's, or one that could be
)

// place finds out what a Host header names. For an app it returns the first
// label, or "" if there can be no app; exact is false where a browser takes the
// host for another than the app's.
func (o *ownHosts) place(host string) (where place, label string, exact bool) {
	name := strings.ToLower(host)
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, ']') {
		name = name[:i]
	}
	plain := strings.TrimSuffix(name, ".")
	switch label, below := strings.CutSuffix(plain, "."+o.domain); {
	case below && validID(label):
		return atApp, label, plain == name
	case below:
		return atApp, "", false
	case plain == strings.Trim(o.homeName(), "[]") || strings.Trim(plain, "[]") == o.homeName():
		return atHome, "", true
	}
	return elsewhere, "", false
}

// Hosts returns a handler that serves the apps under [Own]: requests for hosts below
// [Options.Domain] go to h and never to next, which gets all others. It stands before
// everything, also before middleware that reads cookies. Unless h has the origin
// [Own] it is next.
//
//	canvas.Mount(mux, "/apps/", h)
//	http.ListenAndServe("localhost:8080", h.Hosts(mux))
func (h *Handler) Hosts(next http.Handler) http.Handler {
	if h.own == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if where, _, _ := h.own.place(h.hostOf(r)); where == atApp {
			h.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// FrameSrc returns what the frame-src directive of the program's own pages has to
// list for them to frame apps: "'self'", or under [Own] "'self' https://*.apps.example.net".
func (h *Handler) FrameSrc() string {
	if h.own == nil {
		return "'self'"
	}
	return "'self' " + h.own.sources()
}

// hostOf is the host that a browser asked for.
func (h *Handler) hostOf(r *http.Request) string {
	if h.opts.Forwarded {
		if f, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Host"), ","); f != "" {
			return strings.TrimSpace(f)
		}
	}
	return r.Host
}

// settle finds out, under [Own], whether a request is for an app's host or for
// the program's, and answers itself if it is for neither.
func (v *visit) settle() bool {
	o := v.h.own
	where, label, exact := o.place(v.h.hostOf(v.r))
	switch {
	case where == atHome:
		return true
	case where == elsewhere:
		v.misdirected("Apps are reached by the program's own address, " + o.homeOrigin() + ".")
		return false
	case requestPath(v.r) != v.r.URL.EscapedPath():
		v.misdirected("The handler is mounted below a path of the apps' hosts: the program has to give them to it by Handler.Hosts.")
		return false
	case label == "":
		v.notFound()
		return false
	}
	project, ok := o.project(label)
	if !ok {
		v.fail(http.StatusNotFound, failure{Code: "not_found", Message: "There is no app at this address.", Hint: "Open it from " + o.home.String()})
		return false
	}
	v.label, v.project = label, project
	v.base = o.base(label)
	if !exact { // "app.example." is another origin than "app.example", with other storage
		if !navigation(v.r) || v.r.Method != http.MethodGet {
			v.misdirected("This is not the app's address, " + o.origin(label) + ".")
			return false
		}
		v.redirect(http.StatusPermanentRedirect, o.origin(label)+requestPath(v.r)+query(v.r))
		return false
	}
	return true
}

func (v *visit) misdirected(message string) {
	v.fail(http.StatusMisdirectedRequest, failure{Code: "misdirected", Message: message})
}

// stranger reports whether a request to an app's own host comes from another
// origin and is no plain navigation: nothing there is for other origins to
// load, and no form of theirs may act for the app's visitor.
func (v *visit) stranger() bool {
	r := v.r
	if origin := r.Header.Get("Origin"); origin != "" && origin != "null" && !strings.EqualFold(origin, v.base.scheme+"://"+v.base.host) {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "": // plain http, WebSockets, old browsers, programs
		return r.Header.Get("Origin") == "null"
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document", "iframe", "frame", "":
		return false
	}
	return true
}
