package canvas

import (
	"net/http"
	"slices"
	"strings"
)

// keptResponse are the response headers that an app may set. All others are
// dropped, because the next version of a browser may give them a meaning.
var keptResponse = map[string]bool{
	"Accept-Ranges": true, "Age": true, "Allow": true, "Cache-Control": true, "Content-Disposition": true, "Content-Encoding": true,
	"Content-Language": true, "Content-Length": true, "Content-Location": true, "Content-Range": true, "Content-Type": true,
	"Date": true, "Deprecation": true, "Digest": true, "Etag": true, "Expires": true, "Last-Modified": true, "Link": true,
	"Location": true, "Pragma": true, "Preference-Applied": true, "Retry-After": true, "Server-Timing": true, "Sourcemap": true,
	"Sunset": true, "Timing-Allow-Origin": true, "Accept-Patch": true, "Accept-Post": true, "Mcp-Session-Id": true, "Request-Id": true,
	"Traceparent": true, "Idempotency-Key": true,
}

// responseHeader reports whether an app may set a header, given in canonical form.
func responseHeader(name string) bool {
	if keptResponse[name] || strings.HasPrefix(name, "Ratelimit") {
		return true
	}
	rest, ok := strings.CutPrefix(name, "X-")
	if !ok {
		return false
	}
	switch {
	case strings.HasPrefix(rest, "Accel-"), strings.HasPrefix(rest, "Sendfile"), strings.HasPrefix(rest, "Lighttpd-"), strings.HasPrefix(rest, "Forwarded-"),
		strings.HasPrefix(rest, "Litespeed-"), strings.HasPrefix(rest, "Lsadc-"), strings.HasPrefix(rest, "Reproxy-"):
		return false // commands to a proxy in front
	case strings.HasPrefix(rest, "Content-Security-Policy"):
		return false
	}
	switch rest {
	case "Frame-Options", "Content-Type-Options", "Xss-Protection", "Permitted-Cross-Domain-Policies", "Dns-Prefetch-Control",
		"Webkit-Csp", "Robots-Tag", "Ua-Compatible", "Download-Options", "Http-Method-Override":
		return false
	}
	return true
}

// droppedSilently reports whether a response header that is not passed on is one that the
// handler has a say of its own in, or that says something of a connection or of another
// server: its loss changes nothing for the app.
func droppedSilently(name string) bool {
	switch name {
	case "Content-Security-Policy", "Vary", "Server":
		return true
	}
	return hopByHop(name) || strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Cf-")
}

// keepsResponse reports whether App.Headers lets functions.js set a response header that would
// act on the whole origin, which is only for an app that has the program's anyway.
func (v *visit) keepsResponse(name string) bool {
	if v.label != "" && name == "Set-Cookie" {
		return true
	}
	if v.h.opts.Origin != Trusted || name != "Set-Cookie" && name != "Www-Authenticate" {
		return false
	}
	return slices.ContainsFunc(v.app.Headers, func(h string) bool { return http.CanonicalHeaderKey(h) == name })
}

// setCookie sets a cookie of functions.js, which may set one.
func (v *visit) setCookie(value string) {
	if v.label == "" {
		v.cookies = append(v.cookies, value)
		return
	}
	cookie, problem := v.h.own.hostOnly(value)
	if problem != "" {
		v.site.remarkTo(v.app.consoleOf(v.site), problem)
	}
	if cookie != "" {
		v.cookies = append(v.cookies, cookie)
	}
}

// droppedRequest reports whether a request header, in canonical form, is the
// program's own and kept from functions.js unless App.Headers lists it.
func droppedRequest(name string) bool {
	switch name {
	case "Cookie", "Authorization", "Forwarded", "X-Real-Ip", "True-Client-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "Fastly-Client-Ip", "Fly-Client-Ip",
		"Via", "Referer", "Remote-User", "Remote-Email", "Remote-Groups", "Remote-Name":
		return true
	}
	return family(name) != name
}

// proxied are the prefixes of what proxies in front of the program tell it: who somebody is and
// where they come from, often with a token that proves it. Where there is no such proxy, a visitor
// made it up, and code that trusts it, as it may on Cloudflare, would be deceived.
var proxied = []string{
	"Proxy-", "X-Forwarded-", "Cf-", "X-Amzn-Oidc-", "X-Goog-Iap-", "X-Goog-Authenticated-", "X-Auth-Request-", "X-Ms-Client-Principal", "X-Ms-Token-",
	"X-Authentik-", "X-Tailscale-", "Tailscale-", "X-Pomerium-", "X-Vercel-", "X-Original-",
}

// family is what a dropped header is called on the console: a visitor can make
// up any number of names with these prefixes.
func family(name string) string {
	for _, prefix := range proxied {
		if strings.HasPrefix(name, prefix) {
			return prefix + "*"
		}
	}
	return name
}

// hopByHop reports whether a request header is about the connection.
func hopByHop(name string) bool {
	switch name {
	case "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect", "Http2-Settings", "Content-Length":
		return true
	}
	return false
}

// requestHeaders returns what functions.js sees of a request's headers as
// name, value, name, value, and the names that were kept from it.
func requestHeaders(h http.Header, host string, keep map[string]bool) (pairs, dropped []string) {
	pairs = make([]string, 0, 2*len(h)+2)
	pairs = append(pairs, "host", host)
	for name, values := range h {
		if hopByHop(name) {
			continue
		}
		if droppedRequest(name) && !keep[name] {
			if name = family(name); name != "Referer" && !slices.Contains(dropped, name) {
				dropped = append(dropped, name)
			}
			continue
		}
		lower := strings.ToLower(name)
		for _, v := range values {
			pairs = append(pairs, lower, v)
		}
	}
	return pairs, dropped
}
