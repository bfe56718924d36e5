package outbound

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

// requestHeader returns the headers of a request, without those that belong to the
// connection: they are left out, as workerd does. length is what a Content-Length says, or -1.
func requestHeader(pairs []string) (h http.Header, length int64, err error) {
	h, length = http.Header{}, -1
	size := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		name, value := pairs[i], pairs[i+1]
		if !token(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, 0, failed("fetch_failed", "fetch failed: a header of the request is malformed")
		}
		if size += len(name) + len(value) + 4; size > maxHeader {
			return nil, 0, failed("limit_fetch_headers", "fetch failed: the headers of the request are larger than %d bytes", maxHeader)
		}
		switch name = http.CanonicalHeaderKey(name); name {
		case "Content-Length":
			if n, err := strconv.ParseUint(value, 10, 62); err == nil {
				length = int64(n)
			}
		case "Host", "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
			"Proxy-Connection", "Proxy-Authorization", "Proxy-Authenticate", "Http2-Settings":
		default:
			h[name] = append(h[name], value)
		}
	}
	if h["User-Agent"] == nil {
		h["User-Agent"] = []string{"samkit"}
	}
	if h["Accept-Encoding"] == nil {
		h["Accept-Encoding"] = []string{"gzip, deflate, br"}
		if h["Range"] != nil { // part of an encoded body could not be decoded
			h["Accept-Encoding"] = []string{"identity"}
		}
	}
	return h, length, nil
}

// responseHeader returns headers for code: names in lower case, sorted.
func responseHeader(h http.Header) []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			pairs = append(pairs, strings.ToLower(name), text(value))
		}
	}
	return pairs
}

// text is a header's value as a string: UTF-8 if it is, else each byte a character.
func text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, 0, len(s))
	for i := range len(s) {
		runes = append(runes, rune(s[i]))
	}
	return string(runes)
}

// token reports whether s is a token of RFC 9110.
func token(s string) bool { return s != "" && httpguts.ValidHeaderFieldName(s) }
