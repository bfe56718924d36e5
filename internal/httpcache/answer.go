package httpcache

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// answer makes the response to a request of what is kept: conditions first, then ranges.
func answer(request []string, r *Response) *Response {
	if unchanged(request, r) {
		return &Response{Status: 304, Header: r.Header}
	}
	v, ok := get(request, "range")
	if !ok {
		return r
	}
	from, to, whole, ok := parseRange(v, len(r.Body))
	switch {
	case !ok:
		return &Response{Status: 416, Header: []string{"content-range", fmt.Sprintf("bytes */%d", len(r.Body)), "cf-cache-status", "HIT"}}
	case whole:
		return r
	}
	part := &Response{Status: 206, Body: r.Body[from:to]}
	for i := 0; i+1 < len(r.Header); i += 2 {
		if r.Header[i] != "content-length" {
			part.Header = append(part.Header, r.Header[i], r.Header[i+1])
		}
	}
	part.Header = append(part.Header, "content-length", strconv.Itoa(to-from), "content-range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(r.Body)))
	return part
}

// unchanged reports whether the request has what is kept already.
func unchanged(request []string, r *Response) bool {
	asked, ok := get(request, "if-none-match")
	if tag, tagged := get(r.Header, "etag"); ok && tagged {
		if tag = opaqueTag(tag); tag != "" {
			if strings.TrimSpace(asked) == "*" {
				return true
			}
			for one := range strings.SplitSeq(asked, ",") {
				if opaqueTag(one) == tag {
					return true
				}
			}
		}
	}
	since, ok := get(request, "if-modified-since")
	modified, dated := get(r.Header, "last-modified")
	if !ok || !dated {
		return false
	}
	s, err := http.ParseTime(since)
	if err != nil {
		return false
	}
	m, err := http.ParseTime(modified)
	return err == nil && !m.After(s)
}

// opaqueTag is an entity tag without its quotes and weakness.
func opaqueTag(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "W/")
	if len(s) < 3 || s[0] != '"' || s[len(s)-1] != '"' {
		return ""
	}
	return s[1 : len(s)-1]
}

// parseRange reads a Range header. Several ranges mean the whole, as does none at the end.
func parseRange(s string, size int) (from, to int, whole, ok bool) {
	unit, spec, found := strings.Cut(s, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return 0, 0, false, false
	}
	if strings.Contains(spec, ",") {
		return 0, 0, true, true
	}
	first, last, found := strings.Cut(strings.TrimSpace(spec), "-")
	if !found || first == "" && last == "" {
		return 0, 0, false, false
	}
	number := func(s string) (int, bool) {
		n, err := strconv.ParseUint(s, 10, 63)
		return int(min(n, 1<<40)), err == nil
	}
	if first == "" {
		n, ok := number(last)
		if !ok {
			return 0, 0, false, false
		}
		return max(0, size-n), size, n == 0 || n >= size, true
	}
	from, ok = number(first)
	if !ok || from >= size {
		return 0, 0, false, false
	}
	to = size
	if last != "" {
		n, ok := number(last)
		if !ok || n < from {
			return 0, 0, false, false
		}
		to = min(size, n+1)
	}
	return from, to, false, true
}
