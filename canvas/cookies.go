package canvas

import (
	"net/http"
	"strings"
)

// The handler's own cookies on an app's host. Where browsers take the prefix, no
// other host can set them.
const (
	sessionCookie = "samkit"       // who is asking, sealed
	browserCookie = "samkit-login" // a secret of the browser, to which tickets are bound
	hostPrefix    = "__Host-"
)

// ownName reports whether a cookie's name is the handler's.
func ownName(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return name == sessionCookie || strings.HasPrefix(name, sessionCookie+"-")
}

func (o *ownHosts) cookieName(name string) string {
	if o.secure {
		return hostPrefix + name
	}
	return name
}

// cookie returns the Set-Cookie of one of the handler's cookies. In a frame of
// another site only a partitioned one is kept, and only the frame's site finds it.
func (o *ownHosts) cookie(name, value string) string {
	c := o.cookieName(name) + "=" + value + "; Path=/; HttpOnly"
	if o.secure {
		return c + "; Secure; SameSite=None; Partitioned"
	}
	return c + "; SameSite=Lax"
}

// ownCookies returns the values of one of the handler's cookies.
func (v *visit) ownCookies(name string) []string {
	var values []string
	name = v.h.own.cookieName(name)
	for n, value := range cookies(v.r.Header) {
		if n == name {
			values = append(values, value)
		}
	}
	return values
}

// cookies goes through what a browser sends, as it sends it.
func cookies(h http.Header) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for _, line := range h["Cookie"] {
			for part := range strings.SplitSeq(line, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
				if !yield(strings.TrimSpace(name), value) {
					return
				}
			}
		}
	}
}

// appCookies returns a request's headers with those cookies alone that are the
// app's: not the handler's, and where the program's may come along, only those
// that no other host can have set.
func (v *visit) appCookies() http.Header {
	var kept []string
	for name, value := range cookies(v.r.Header) {
		if ownName(name) || name == "" || v.h.own.shared && !strings.HasPrefix(name, hostPrefix) {
			continue
		}
		kept = append(kept, name+"="+value)
	}
	h := v.r.Header.Clone()
	delete(h, "Cookie")
	if kept != nil {
		h["Cookie"] = []string{strings.Join(kept, "; ")}
	}
	return h
}

// hostOnly returns a Set-Cookie of an app as it may be set on the app's own
// host: without Domain, so that no other host gets it. A problem is told to
// the author; without a cookie, it is not set.
func (o *ownHosts) hostOnly(value string) (cookie, problem string) {
	parts := strings.Split(value, ";")
	name, _, ok := strings.Cut(parts[0], "=")
	name = strings.TrimSpace(name)
	switch {
	case !ok || name == "":
		return "", "A cookie without a name is not set."
	case ownName(name):
		return "", "The cookie " + name + " is not set: the name belongs to the program that serves this app."
	case o.shared && !strings.HasPrefix(name, hostPrefix):
		problem = "The cookie " + name + " will not reach functions.js: its host is below the domain of the program, whose cookies are kept from apps. " +
			"A name that starts with __Host- tells them apart."
	}
	kept := parts[:1]
	for _, p := range parts[1:] {
		if key, _, _ := strings.Cut(p, "="); !strings.EqualFold(strings.TrimSpace(key), "domain") {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ";"), problem
}
