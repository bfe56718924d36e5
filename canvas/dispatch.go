package canvas

import (
	"net/http"
	"strings"
)

// dispatch decides between files and functions.js.
func (v *visit) dispatch(gen *generation) {
	path := "/" + v.loc.name
	if d := gen.config.invalid; d != nil {
		v.unbuilt(gen, &BuildError{[]Diagnostic{*d}})
		return
	}
	if gen.config.functionsFirst(path) {
		v.functions(gen)
		return
	}
	instead, answered := v.redirected(gen)
	if answered || v.static(gen) {
		return
	}
	if gen.config.functionsLast(path) && !hidden(v.loc.name) {
		v.functions(gen)
		return
	}
	v.missing(gen, instead)
}

// leave answers with a redirect that an app asked for. A target inside the app
// becomes relative. One outside is for people only: browsers follow the others
// with what they carry, past the page's policy.
func (v *visit) leave(status int, target string) bool {
	inside, ok := v.target(target)
	switch {
	case !ok:
		v.fail(http.StatusBadGateway, failure{Code: "invalid", Message: "The app redirects to something that is no web address."})
		return false
	case inside != "":
		target = inside
	case v.r.Method != http.MethodGet && v.r.Method != http.MethodHead || subresource(v.r):
		v.fail(http.StatusForbidden, failure{
			Code: "denied", Message: "The app redirects to another site, which only a link may do.",
			Hint: "Redirects out of an app work for navigations by GET.",
		})
		return false
	}
	h := v.begin()
	h["Location"] = []string{target}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = valNoCache
	}
	v.w.WriteHeader(status)
	return true
}

// subresource reports whether a browser says that this is no navigation, or a
// request that no navigation would make.
func subresource(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode != "navigate"
	}
	return r.Header.Get("Origin") != ""
}

// target turns a Location that the app chose into a relative URL, if it is
// inside the app as functions.js sees it, or "" if it is elsewhere. It reports
// false for what is no http address.
func (v *visit) target(location string) (inside string, ok bool) {
	for i := 0; i < len(location); i++ {
		if c := location[i]; c < ' ' || c == 0x7f || c == '\\' {
			return "", false // browsers read "\" as "/"
		}
	}
	own := v.appURL()
	u, err := own.Parse(location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", false
	}
	if !strings.EqualFold(u.Host, own.Host) || u.Scheme != own.Scheme {
		return "", true
	}
	p := strings.TrimPrefix(u.EscapedPath(), "/")
	if !validPath(strings.TrimPrefix(u.Path, "/")) || hidesSlash(p) {
		return "", false
	}
	p = v.loc.rel() + p
	if u.RawQuery != "" || u.ForceQuery {
		p += "?" + u.RawQuery
	}
	if u.Fragment != "" {
		p += "#" + u.EscapedFragment()
	}
	return p, true
}
