package canvas

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// How a visitor comes to an app's own host, where the program's log-in is not seen:
//
//	the program's host            the app's host
//	/apps/notes/x          →      /~enter?who=…&to=/x     the session is theirs: go to /x
//	/apps/notes/~grant     ←                              it is not: a secret goes into a cookie, its hash along
//	behind Options.Auth    →      /~enter?ticket=…        the ticket names person and hash: a session, go to /x
//
// A ticket holds for a minute, once, and in the browser that began: neither one that
// was read somewhere nor one of somebody else's makes a session. Visits that
// start at the app's host begin with the second line.

const (
	ticketLife = time.Minute
	maxEntries = 3 // until a browser is told that it keeps no cookies
)

// entry is what goes along on the way.
type entry struct {
	to  string // path and query in the app
	at  string // the program's own token, if it was one that led here
	try int
}

func entryOf(q url.Values) (entry, bool) {
	e := entry{to: q.Get("to"), at: q.Get("at")}
	e.try, _ = strconv.Atoi(q.Get("try"))
	if e.try < 0 || e.try > maxEntries || e.at != "" && tokenRE().FindString(e.at) != e.at {
		return e, false
	}
	p, _, _ := strings.Cut(e.to, "?")
	if len(e.to) > maxPath || !strings.HasPrefix(p, "/") || hidesSlash(p) {
		return e, false
	}
	name, err := url.PathUnescape(p[1:])
	if err != nil || !validPath(name) || strings.HasPrefix(name, "~") || strings.ContainsAny(e.to, "#\r\n\t ") {
		return e, false
	}
	return e, true
}

func (e entry) query() url.Values {
	q := url.Values{"to": {e.to}}
	if e.at != "" {
		q.Set("at", e.at)
	}
	if e.try > 0 {
		q.Set("try", strconv.Itoa(e.try))
	}
	return q
}

// asksWho reports whether the program has people, so that an app's host has to
// know which of them is there.
func (h *Handler) asksWho() bool { return h.opts.Auth != nil || h.opts.Principal != nil }

// fromHome answers at the program's host for an app that was found: it lies elsewhere.
func (v *visit) fromHome() {
	o := v.h.own
	label := o.label(v.app.Project)
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		v.misdirected("This app has an origin of its own, " + o.origin(label) + ".")
		return
	}
	if v.loc.name == "~grant" {
		v.grant(label)
		return
	}
	if strings.HasPrefix(v.loc.name, "~") {
		v.notFound()
		return
	}
	to := "/" + escape(v.loc.name) + query(v.r)
	if v.h.asksWho() || v.app.Session != "" {
		q := entry{to: to, at: v.loc.token}.query()
		q.Set("who", v.h.sealer.name(v.grantFor(label)))
		to = "/~enter?" + q.Encode()
	}
	v.redirect(http.StatusFound, o.origin(label)+to)
}

// grantFor is what a session on an app's host says.
func (v *visit) grantFor(label string) grant {
	project := ""
	if v.h.site {
		project = string(v.app.Project.ID())
	}
	return grant{
		Project: project, Role: role(v.app), Principal: v.who.Principal, Session: v.app.Session, Label: label, Issued: time.Now().UnixNano(),
	}
}

// grant gives a visitor whom the program knows a ticket to the app's host.
func (v *visit) grant(label string) {
	q := v.r.URL.Query()
	e, ok := entryOf(q)
	browser := q.Get("browser")
	if !ok || !navigation(v.r) || v.r.Method != http.MethodGet || len(browser) != base64.RawURLEncoding.EncodedLen(sha256.Size) {
		v.fail(http.StatusBadRequest, failure{Code: "invalid", Message: "This is no way into an app."})
		return
	}
	g := v.grantFor(label)
	g.Browser = browser
	q = e.query()
	q.Set("ticket", v.h.sealer.sealFor(useTicket, g))
	v.redirect(http.StatusFound, v.h.own.origin(label)+"/~enter?"+q.Encode())
}

// atApp answers at an app's own host.
func (v *visit) atApp() {
	if v.stranger() {
		v.fail(http.StatusForbidden, failure{Code: "denied", Message: "This request comes from another site.", Hint: "What an app serves is for its own pages."})
		return
	}
	if v.loc.name == "~enter" {
		v.enter()
		return
	}
	get := v.r.Method == http.MethodGet && navigation(v.r) && !strings.HasPrefix(v.loc.name, "~")
	g, known := v.session()
	if !known && v.h.asksWho() {
		if get {
			v.askHome(entry{to: "/" + escape(v.loc.name) + query(v.r)})
			return
		}
		if v.h.opts.Auth != nil {
			v.sessionEnded()
			return
		}
	}
	v.who = Visitor{Principal: g.Principal, Session: g.Session}
	if !v.find() {
		return
	}
	if v.app.Session != g.Session || known && role(v.app) != g.Role {
		if get {
			v.askHome(entry{to: "/" + escape(v.loc.name) + query(v.r)})
			return
		}
		v.sessionEnded()
		return
	}
	if known && get && time.Since(time.Unix(0, g.Issued)) > tokenLife/2 {
		v.startSession(v.grantFor(v.label))
	}
	v.serve()
}

// session returns what a visitor's cookie says, if it holds here.
func (v *visit) session() (grant, bool) {
	for _, sealed := range v.ownCookies(sessionCookie) {
		if g, err := v.h.sealer.openSession(sealed, time.Now()); err == nil && g.Label == v.label && g.Project == v.loc.project {
			return g, true
		}
	}
	return grant{}, false
}

func (v *visit) startSession(g grant) {
	v.cookies = append(v.cookies, v.h.own.cookie(sessionCookie, v.h.sealer.sealFor(useSession, g)))
}

// enter lets a visitor in who comes from the program's host.
func (v *visit) enter() {
	q := v.r.URL.Query()
	e, ok := entryOf(q)
	if !ok || v.r.Method != http.MethodGet || !navigation(v.r) {
		v.fail(http.StatusBadRequest, failure{Code: "invalid", Message: "This is no way into an app."})
		return
	}
	if ticket := q.Get("ticket"); ticket != "" {
		for _, secret := range v.ownCookies(browserCookie) {
			g, err := v.h.sealer.openTicket(ticket, browserHash(secret), time.Now())
			if err == nil && g.Label == v.label && g.Project == v.loc.project {
				g.Browser, g.Issued = "", time.Now().UnixNano()
				v.startSession(g)
				v.redirect(http.StatusSeeOther, e.to)
				return
			}
		}
		if e.try++; e.try >= maxEntries {
			v.fail(http.StatusForbidden, failure{
				Code: "no_cookies", Message: "Your browser keeps no cookies for this app here, so it cannot tell who you are.",
				Hint: "Open the app in a tab of its own, or allow its cookies.",
			})
			return
		}
		v.askHome(e)
		return
	}
	if g, ok := v.session(); ok && v.h.sealer.name(g) == q.Get("who") {
		v.redirect(http.StatusFound, e.to)
		return
	}
	v.askHome(e)
}

// askHome sends a visitor to the program, to come back with a ticket for this browser.
func (v *visit) askHome(e entry) {
	secret := ""
	for _, s := range v.ownCookies(browserCookie) {
		if len(s) == len(rand.Text()) {
			secret = s // another tab may be on its way with it
		}
	}
	if secret == "" {
		secret = rand.Text()
		v.cookies = append(v.cookies, v.h.own.cookie(browserCookie, secret))
	}
	at := v.h.own.home.String()
	if v.h.site {
		at += v.project + "/"
	}
	if e.at != "" {
		at += e.at + "/"
	}
	q := e.query()
	q.Set("browser", browserHash(secret))
	v.redirect(http.StatusFound, at+"~grant?"+q.Encode())
}

func browserHash(secret string) string {
	sum := sha256.Sum256([]byte("samkit.dev/canvas browser 1\n" + secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
