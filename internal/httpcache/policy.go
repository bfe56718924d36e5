package httpcache

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// get returns a header, several of one name joined.
func get(header []string, name string) (value string, ok bool) {
	var several []string
	for i := 0; i+1 < len(header); i += 2 {
		switch {
		case header[i] != name:
		case !ok:
			value, ok = header[i+1], true
		case several == nil:
			several = []string{value, header[i+1]}
		default:
			several = append(several, header[i+1])
		}
	}
	if several != nil {
		value = strings.Join(several, ", ")
	}
	return value, ok
}

// directives parses Cache-Control.
func directives(s string) map[string]string {
	m := map[string]string{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			m[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return m
}

// privateCookie is the directive of Cloudflare's by which a response is kept without its cookie.
const privateCookie = "private=set-cookie"

// prepare makes what is kept of a response, by the rules of a shared cache (RFC 9111).
// ok is false if nothing may be kept.
func prepare(request []string, r *Response, now time.Time) (kept *Response, ttl time.Duration, ok bool) {
	control, hasControl := get(r.Header, "cache-control")
	cookieless := strings.Contains(strings.ToLower(control), privateCookie)
	if cookieless {
		var left []string
		for part := range strings.SplitSeq(control, ",") {
			if part = strings.TrimSpace(part); part != "" && !strings.EqualFold(part, privateCookie) {
				left = append(left, part)
			}
		}
		control = strings.Join(left, ", ")
	}
	cc := directives(control)
	if pragma, _ := get(r.Header, "pragma"); !hasControl && strings.Contains(strings.ToLower(pragma), "no-cache") {
		cc["no-cache"] = ""
	}
	kept = &Response{Status: r.Status, Body: r.Body, Header: keptHeader(r.Header, control, cookieless, now)}
	_, cookie := get(kept.Header, "set-cookie")
	_, authorized := get(request, "authorization")
	if cookie || !storable(r, cc, authorized) {
		return kept, 0, false
	}
	seconds := lifetime(r, cc, now) - age(r.Header)
	return kept, time.Duration(math.Max(0, math.Min(seconds, 365*24*3600)) * float64(time.Second)), true
}

func has(cc map[string]string, names ...string) bool {
	for _, n := range names {
		if _, ok := cc[n]; ok {
			return true
		}
	}
	return false
}

func storable(r *Response, cc map[string]string, authorized bool) bool {
	switch {
	case has(cc, "no-store", "private"):
		return false
	case authorized && !has(cc, "public", "s-maxage", "must-revalidate"):
		return false
	}
	switch r.Status {
	case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: // may be kept without being told so
		return true
	case 302, 303, 307:
		_, expires := get(r.Header, "expires")
		return expires || has(cc, "max-age", "s-maxage", "public")
	}
	return false
}

// lifetime is for how many seconds a response is fresh.
func lifetime(r *Response, cc map[string]string, now time.Time) float64 {
	if has(cc, "no-cache", "proxy-revalidate") {
		return 0
	}
	for _, name := range []string{"s-maxage", "max-age"} {
		if v, ok := cc[name]; ok {
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				return 0
			}
			return float64(n)
		}
	}
	least := 0.0
	if has(cc, "immutable") {
		least = 24 * 3600
	}
	date := now
	if v, ok := get(r.Header, "date"); ok {
		if t, err := http.ParseTime(v); err == nil {
			date = t
		}
	}
	if v, ok := get(r.Header, "expires"); ok {
		t, err := http.ParseTime(v)
		if err != nil || t.Before(date) {
			return 0
		}
		return math.Max(least, t.Sub(date).Seconds())
	}
	if v, ok := get(r.Header, "last-modified"); ok {
		if t, err := http.ParseTime(v); err == nil && date.After(t) {
			return math.Max(least, date.Sub(t).Seconds()/10)
		}
	}
	return least
}

// age is how old a response was when it came, in seconds.
func age(header []string) float64 {
	v, _ := get(header, "age")
	n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 32)
	if err != nil {
		return 0
	}
	return float64(n)
}

// keptHeader leaves out what is of one connection only.
func keptHeader(header []string, control string, cookieless bool, now time.Time) []string {
	drop := map[string]bool{
		"connection": true, "keep-alive": true, "proxy-authenticate": true, "proxy-authorization": true, "te": true, "trailer": true,
		"transfer-encoding": true, "upgrade": true, "date": true, "age": true, "cf-cache-status": true, "set-cookie": cookieless,
	}
	if v, ok := get(header, "connection"); ok {
		for name := range strings.SplitSeq(v, ",") {
			drop[strings.ToLower(strings.TrimSpace(name))] = true
		}
	}
	var kept []string
	controlled := false
	for i := 0; i+1 < len(header); i += 2 {
		name, value := header[i], header[i+1]
		if drop[name] {
			continue
		}
		if name == "cache-control" {
			if controlled || control == "" {
				continue
			}
			controlled, value = true, control
		}
		kept = append(kept, name, value)
	}
	return append(kept, "age", strconv.Itoa(int(age(header))), "date", now.UTC().Format(http.TimeFormat), "cf-cache-status", "HIT")
}
