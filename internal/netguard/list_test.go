package netguard

import (
	"strings"
	"testing"
)

func TestParseList(t *testing.T) {
	for _, good := range []string{
		"api.example.com", "API.Example.COM.", "api.example.com:8443", "http://api.example.com", "https://api.example.com:1",
		"*.example.com", "http://*.example.com:8080", "*", "http://*", "127.0.0.1:8080", "[::1]:8080", "http://10.0.0.1:80",
		"bücher.example", "localhost:3000", "a_b.example.com", "xn--bcher-kva.example",
	} {
		if _, err := ParseList([]string{good}); err != nil {
			t.Error(err)
		}
	}
	for bad, why := range map[string]string{
		"":                     "no host name",
		"ftp://example.com":    "scheme",
		"https://example.com/": "path",
		"example.com/path":     "path",
		"user@example.com":     "user",
		"example.com?x":        "path",
		"example.com:0":        "port",
		"example.com:65536":    "port",
		"example.com:":         "port",
		"example.com:+80":      "port",
		"127.0.0.1":            "port",
		"[::1]":                "port",
		"::1":                  "brackets",
		"::1:8080":             "brackets",
		"[fe80::1%eth0]:80":    "zone",
		"[127.0.0.1]:80":       "no host name",
		"127.1:80":             "no host name",
		"0x7f.1:80":            "no host name",
		"0177.0.0.1:80":        "no host name",
		"2130706433:80":        "no host name",
		"a.*.example.com":      "no host name",
		"**.example.com":       "no host name",
		"*.":                   "no host name",
		"*.1.2.3.4:80":         "no host name",
		"a..example.com":       "no host name",
		"exa mple.com":         "no host name",
		"exam\x00ple.com":      "no host name",
		".example.com":         "no host name",
		"example.com..":        "no host name",
		"%2a.example.com":      "no host name",
	} {
		if _, err := ParseList([]string{bad}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", bad, err, why)
		}
	}
}

func TestGrants(t *testing.T) {
	for _, c := range []struct{ entry, href, not string }{
		{"api.example.com", "https://api.example.com/x", "http://api.example.com/ https://api.example.com:444/ https://example.com/ https://x.api.example.com/ https://api.example.com.evil.test/ https://evil-api.example.com/"},
		{"api.example.com:8443", "https://api.example.com:8443/", "https://api.example.com/ http://api.example.com:8443/"},
		{"http://api.example.com", "http://api.example.com/", "https://api.example.com/ http://api.example.com:81/"},
		{"*.example.com", "https://a.b.example.com/", "https://example.com/ https://badexample.com/ https://a.example.com.evil.test/"},
		{"*", "https://anything.test/", "http://anything.test/ https://anything.test:8443/ https://127.0.0.1/ https://[::1]/ https://169.254.169.254/ https://[::ffff:10.0.0.1]/"},
		{"*", "https://93.184.216.34/", ""},
		{"127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8081/ http://127.0.0.2:8080/ http://[::1]:8080/ http://127.0.0.1/"},
		{"127.0.0.1:8443", "https://127.0.0.1:8443/", ""},
		{"127.0.0.1:8080", "http://[::ffff:7f00:1]:8080/", ""},
		{"[::1]:80", "http://[::1]/", "http://127.0.0.1/"},
		{"http://127.0.0.1:80", "http://127.0.0.1/", "https://127.0.0.1:80/"},
		{"Example.COM.", "https://example.com./", ""},
		{"bücher.example", "https://xn--bcher-kva.example/", ""},
	} {
		l, err := ParseList([]string{c.entry})
		if err != nil {
			t.Fatal(err)
		}
		g := &Guard{List: l}
		check := func(href string, want bool) {
			target, err := ParseTarget(href)
			if err != nil {
				t.Errorf("%s: %v", href, err)
				return
			}
			if err := g.Check(target); (err == nil) != want {
				t.Errorf("%s with %s: %v", href, c.entry, err)
			}
		}
		check(c.href, true)
		for href := range strings.FieldsSeq(c.not) {
			check(href, false)
		}
	}
}

// A refusal names the entry that would grant.
func TestRefusal(t *testing.T) {
	for href, want := range map[string]string{
		"https://api.example.com/x":       "api.example.com",
		"http://api.example.com/":         "http://api.example.com",
		"https://api.example.com:8443/":   "api.example.com:8443",
		"http://127.0.0.1:8080/":          "127.0.0.1:8080",
		"http://[::1]:8080/":              "[::1]:8080",
		"http://[::ffff:127.0.0.1]:8080/": "127.0.0.1:8080",
	} {
		target, err := ParseTarget(href)
		if err != nil {
			t.Fatal(err)
		}
		err = (&Guard{}).Check(target)
		refused, ok := err.(*RefusedError)
		if !ok || refused.Entry != want {
			t.Errorf("%s: %+v", href, err)
			continue
		}
		l, err := ParseList([]string{refused.Entry})
		if err != nil {
			t.Fatal(err)
		}
		if err := (&Guard{List: l}).Check(target); err != nil {
			t.Error(err)
		}
	}
}

// Everything here has another spelling that the URL parser gives, or none.
func TestParseTargetRefuses(t *testing.T) {
	for _, href := range []string{
		"", "example.com", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://127.0.0.1:70/", "data:text/plain,x",
		"https:/example.com", "https://", "https:///x", "https://user@example.com/", "https://user:pass@example.com/", "https://allowed.com@evil.test/",
		"https://allowed.com\\@evil.test/", "https://allowed.com%00.evil.test/", "https://allowed.com%2eevil.test/", "https://EXAMPLE.com/",
		"https://127.1/", "https://0x7f.1/", "https://0177.0.0.1/", "https://2130706433/", "https://127.0.0.1./", "https://0x7f000001/",
		"https://a b/", "https://a\tb/", "https://ex\u00e4mple.com/", "https://exa\u3002mple/", "https://[::1/", "https://::1/", "https://[fe80::1%25eth0]/", "https://[127.0.0.1]/",
		"https://example.com:/", "https://example.com:99999/", "https://example.com:80:80/", "https://.example.com/", "https://a..b/", "HTTPS://example.com/",
		"https://" + strings.Repeat("a", 64) + ".com/", "https://" + strings.Repeat("a.", 130) + "com/",
	} {
		if target, err := ParseTarget(href); err == nil {
			t.Errorf("%q is read as %v", href, target)
		}
	}
	for href, want := range map[string]string{
		"https://allowed.com#@evil.test/":     "https://allowed.com",
		"https://allowed.com/@evil.test":      "https://allowed.com",
		"https://allowed.com?@evil.test":      "https://allowed.com",
		"https://example.com.:443/":           "https://example.com",
		"http://example.com:80":               "http://example.com",
		"https://example.com:80/":             "https://example.com:80",
		"https://[::1]:1/":                    "https://[::1]:1",
		"https://[2001:4860:4860::8888]/":     "https://[2001:4860:4860::8888]",
		"http://[::ffff:a9fe:a9fe]/":          "http://169.254.169.254",
		"https://allowed.com.evil.test/?a#b@": "https://allowed.com.evil.test",
	} {
		if target, err := ParseTarget(href); err != nil || target.String() != want {
			t.Errorf("%q is read as %v, %v", href, target, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"https://api.example.com/", "https://a@b", "http://[::1]:80", "https://127.1/", "https://a\\b", "*.example.com:1", "[::1]:8"} {
		f.Add(seed)
	}
	l, err := ParseList([]string{"allowed.com", "*.below.com", "127.0.0.1:8080"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ParseList([]string{s})
		target, err := ParseTarget(s)
		if err != nil {
			return
		}
		again, err := ParseTarget(target.String() + "/")
		if err != nil || again != target {
			t.Fatalf("%q is %v, and that is %v, %v", s, target, again, err)
		}
		if (&Guard{List: l}).Check(target) == nil && target.Host != "allowed.com" && !strings.HasSuffix(target.Host, ".below.com") && target.Host != "127.0.0.1" {
			t.Fatalf("%q is granted as %v", s, target)
		}
		own, err := ParseList([]string{target.entry()})
		if err != nil {
			t.Fatalf("%q: the entry %q: %v", s, target.entry(), err)
		}
		if err := (&Guard{List: own}).Check(target); err != nil {
			t.Fatalf("%q: the entry %q does not grant it", s, target.entry())
		}
	})
}
