package canvas

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// A base is where a browser finds an app: everything an absolute URL needs.
type base struct {
	scheme, host string // "https", "example.com:8443"
	root         string // escaped path of the app's root, with both slashes
}

// A policy writes the headers that every response carries: page, asset, api,
// error, redirect and 304 alike. Those of data are shorter. It is immutable but for its cache.
type policy struct {
	origin  Origin
	frames  string   // sources of frame-ancestors
	connect []string // App.Connect
	data    []string // Content-Security-Policy of data, or nil: that of pages

	mu    sync.RWMutex
	cache map[base][]string // Content-Security-Policy by base
}

// maxPolicies bounds the cache of a policy: a base names the visitor's token.
const maxPolicies = 256

func newPolicy(origin Origin, frames, connect []string) *policy {
	p := &policy{
		origin: origin, connect: connect, cache: map[base][]string{},
		frames: strings.Join(append([]string{"'self'"}, frames...), " "),
	}
	if origin == Opaque { // elsewhere a page may read what its frame shows
		p.data = []string{"sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors " + p.frames + "; object-src 'none'"}
	}
	return p
}

// Header values are shared between responses; net/http only reads them.
var (
	valVaryWho     = []string{"Origin, Accept-Encoding, Sec-Fetch-Dest, Cookie, Authorization"}
	valNosniff     = []string{"nosniff"}
	valNoReferrer  = []string{"no-referrer"}
	valNoIndex     = []string{"noindex"}
	valStar        = []string{"*"}
	valCrossOrigin = []string{"cross-origin"}
	valOwnOpener   = []string{"same-origin-allow-popups"}
	valSameOrigin  = []string{"same-origin"}
	valVary        = []string{"Origin, Accept-Encoding, Sec-Fetch-Dest"}
	valNoCache     = []string{"no-cache"}
	valPrivate     = []string{"private, no-cache"}
	valNoStore     = []string{"no-store"}
	valForever     = []string{"public, max-age=31536000, immutable"}
	valMine        = []string{"private, max-age=31536000, immutable"}
	valBytes       = []string{"bytes"}
	valPermissions = []string{"accelerometer=(), ambient-light-sensor=(), attribution-reporting=(), bluetooth=(), browsing-topics=(), " +
		"camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), " +
		"local-fonts=(), magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), publickey-credentials-create=(), " +
		"publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), usb=(), xr-spatial-tracking=()"}
)

// set writes the policy's headers over whatever h has of them. In those of data a browser that
// is led there gets text to look at: whatever it takes it for, it runs and loads nothing (the style is that of browsers' own viewers), so what pages
// may do needs no word. That is a thousand bytes less, in the answers of which there are most.
func (p *policy) set(h http.Header, b base, data bool) {
	if data && p.data != nil {
		h["Content-Security-Policy"] = p.data
	} else {
		h["Content-Security-Policy"] = p.csp(b)
		h["Permissions-Policy"] = valPermissions
	}
	h["X-Content-Type-Options"] = valNosniff
	h["Referrer-Policy"] = valNoReferrer
	h["X-Robots-Tag"] = valNoIndex
	h["Vary"] = valVary
	if p.origin == Opaque {
		h["Access-Control-Allow-Origin"] = valStar // never with credentials
		h["Cross-Origin-Resource-Policy"] = valCrossOrigin
		// A page in a tab finds nothing that the program's page before it left in
		// window.name, which browsers keep from one origin to another of the same host.
		h["Cross-Origin-Opener-Policy"] = valSameOrigin
	} else {
		h["Cross-Origin-Resource-Policy"] = valSameOrigin
	}
	if p.origin == Own {
		h["Referrer-Policy"] = valSameOrigin // else its forms have "Origin: null"
		h["Cross-Origin-Opener-Policy"] = valOwnOpener
	}
	delete(h, "Set-Cookie")
	delete(h, "Clear-Site-Data")
}

// isData reports whether a response of this type is text to look at, wherever a browser meets it: no page,
// no script, no picture. One with no type or two, or one to be saved, is not.
func isData(contentType, disposition []string) bool {
	if len(contentType) != 1 || disposition != nil {
		return false
	}
	mediaType, _, _ := strings.Cut(contentType[0], ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case "application/json", "text/plain", "text/event-stream", "application/x-ndjson":
		return true
	}
	return false
}

func (p *policy) csp(b base) []string {
	if len(b.host) > maxHost {
		b.host = "" // says nothing, whatever it is
	}
	p.mu.RLock()
	v := p.cache[b]
	p.mu.RUnlock()
	if v != nil {
		return v
	}
	v = []string{p.text(b)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.cache) >= maxPolicies {
		clear(p.cache)
	}
	p.cache[b] = v
	return v
}

func (p *policy) text(b base) string {
	if p.origin == Trusted {
		return "base-uri 'self'; object-src 'none'; frame-ancestors " + p.frames
	}
	own := "'none'"
	socket := ""
	if plainHost(b.host) {
		root := sourcePath(b.root)
		own = b.scheme + "://" + b.host + root
		socket = " ws" + strings.TrimPrefix(b.scheme, "http") + "://" + b.host + root
	}
	granted := ""
	if len(p.connect) > 0 {
		granted = " " + strings.Join(p.connect, " ")
	}
	sources := own
	if own == "'none'" {
		sources = ""
	}
	sandbox, bases := "sandbox allow-scripts allow-forms allow-modals allow-downloads", "'none'"
	if p.origin == Own {
		// The origin is the app's; what is left of the sandbox keeps it from
		// navigating a page that frames it or opened it.
		sandbox += " allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-pointer-lock allow-orientation-lock"
		bases = own
	}
	return sandbox + "; " +
		"default-src " + sources + " 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:" + granted + "; " +
		"connect-src " + sources + socket + " data: blob:" + granted + "; " +
		"form-action " + own + "; base-uri " + bases + "; frame-ancestors " + p.frames + "; object-src 'none'"
}

// maxHost bounds a host with its port: the longest name of the DNS has 253 bytes.
const maxHost = 260

// plainHost reports whether a Host header can stand in a policy. Anything but
// a name, an address and a port could end a directive and start another.
func plainHost(host string) bool {
	if host == "" || len(host) > maxHost {
		return false
	}
	for i := 0; i < len(host); i++ {
		switch c := host[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(".-_:[]", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// sourcePath returns an escaped path as it may stand in a source expression,
// where the separators of directives and policies have to be written as %XX.
func sourcePath(p string) string {
	return sourceEscaper.Replace(p)
}

var sourceEscaper = strings.NewReplacer(";", "%3B", ",", "%2C", "'", "%27", `"`, "%22", " ", "%20", "*", "%2A", "?", "%3F", "#", "%23")

// checkSources reports the first of some origins that may not stand in a policy.
func checkSources(what string, sources []string, schemes string) error {
	for _, s := range sources {
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		case !strings.Contains(" "+schemes+" ", " "+u.Scheme+" "):
		case !plainHost(strings.TrimPrefix(u.Host, "*.")):
		default:
			continue
		}
		return fmt.Errorf("canvas: %s: %q is no origin such as \"https://cdn.example\"", what, s)
	}
	return nil
}
