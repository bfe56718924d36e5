package webapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// urlCase is a URL, its base (or "") and the wanted href; "" means that it fails.
type urlCase struct{ in, base, want string }

var urlCases = []urlCase{
	// plain
	{"http://example.com/", "", "http://example.com/"},
	{"http://example.com", "", "http://example.com/"},
	{"https://example.com/a/b?c=d#e", "", "https://example.com/a/b?c=d#e"},
	{"https://example.com?x", "", "https://example.com/?x"},
	{"https://example.com#x", "", "https://example.com/#x"},
	{"https://example.com/?", "", "https://example.com/?"},
	{"https://example.com/#", "", "https://example.com/#"},
	{"https://example.com/?a?b#c#d?e", "", "https://example.com/?a?b#c#d?e"},
	{"HTTP://EXAMPLE.COM/Path", "", "http://example.com/Path"},
	{"  http://example.com/ \n", "", "http://example.com/"},
	{"ht\ntp://exa\tmple.com/a\rb", "", "http://example.com/ab"},
	{"http:example.com", "", "http://example.com/"},
	{"http:/example.com", "", "http://example.com/"},
	{"http:\\\\example.com\\a\\b", "", "http://example.com/a/b"},
	{"http:////example.com/", "", "http://example.com/"},
	{"http://example.com\\@evil.com/", "", "http://example.com/@evil.com/"},
	{"http://a_b.example/", "", "http://a_b.example/"},
	{"http://-a-.example/", "", "http://-a-.example/"},
	{"http://a..b/", "", "http://a..b/"},
	{"http://example.com./", "", "http://example.com./"},
	{"http://.example.com/", "", "http://.example.com/"},
	{"", "", ""}, {"x", "", ""}, {"/a", "", ""}, {"//a", "", ""}, {":", "", ""}, {"://a", "", ""}, {"1http://a", "", ""},
	{"http://", "", ""}, {"http:///", "", ""}, {"http://?", "", ""}, {"https:#", "", ""}, {"http://:80/", "", ""}, {"http://@/", "", ""},
	// ports
	{"http://a:80/", "", "http://a/"},
	{"https://a:443/", "", "https://a/"},
	{"https://a:80/", "", "https://a:80/"},
	{"http://a:8080/", "", "http://a:8080/"},
	{"http://a:008080/", "", "http://a:8080/"},
	{"http://a:0/", "", "http://a:0/"},
	{"http://a:/", "", "http://a/"},
	{"http://a:65535/", "", "http://a:65535/"},
	{"http://a:65536/", "", ""}, {"http://a:99999999999999999999/", "", ""}, {"http://a:8a/", "", ""}, {"http://a:-1/", "", ""}, {"http://a:8 0/", "", ""},
	{"ws://a:80/", "", "ws://a/"}, {"wss://a:443", "", "wss://a/"}, {"ftp://a:21/x", "", "ftp://a/x"},
	// user names
	{"http://u@a/", "", "http://u@a/"},
	{"http://u:p@a/", "", "http://u:p@a/"},
	{"http://u:@a/", "", "http://u@a/"},
	{"http://:p@a/", "", "http://:p@a/"},
	{"http://@a/", "", "http://a/"},
	{"http://:@a/", "", "http://a/"},
	{"http://u@v@a/", "", "http://u%40v@a/"},
	{"http://u:p:q@a/", "", "http://u:p%3Aq@a/"},
	{"http://u:p@q@a:81/", "", "http://u:p%40q@a:81/"},
	{"http://u ;=[]{}|^@a/", "", "http://u%20%3B%3D%5B%5D%7B%7D%7C%5E@a/"},
	{"http://é:ü@a/", "", "http://%C3%A9:%C3%BC@a/"},
	{"http://u@/x", "", ""}, {"http://u:p@:80", "", ""},
	{"http://u/@a/", "", "http://u/@a/"},
	// paths
	{"http://a/.", "", "http://a/"}, {"http://a/..", "", "http://a/"}, {"http://a/./b", "", "http://a/b"},
	{"http://a/b/../c", "", "http://a/c"}, {"http://a/b/..", "", "http://a/"}, {"http://a/b/c/../../d", "", "http://a/d"},
	{"http://a/../../..", "", "http://a/"}, {"http://a/b/.", "", "http://a/b/"},
	{"http://a/%2e/b", "", "http://a/b"}, {"http://a/b/%2E%2e/c", "", "http://a/c"}, {"http://a/b/.%2e", "", "http://a/"}, {"http://a/b/%2e.", "", "http://a/"},
	{"http://a/...", "", "http://a/..."}, {"http://a/.b", "", "http://a/.b"}, {"http://a/b..", "", "http://a/b.."}, {"http://a/%2e%2e%2e", "", "http://a/%2e%2e%2e"},
	{"http://a//b", "", "http://a//b"}, {"http://a//../b", "", "http://a/b"}, {"http://a/b//../c", "", "http://a/b/c"},
	{"http://a/b c", "", "http://a/b%20c"}, {"http://a/é", "", "http://a/%C3%A9"}, {"http://a/\U0001F600", "", "http://a/%F0%9F%98%80"},
	{"http://a/%", "", "http://a/%"}, {"http://a/%zz%41", "", "http://a/%zz%41"}, {"http://a/\x7f", "", "http://a/%7F"}, {"http://a/\x01b", "", "http://a/%01b"},
	{"http://a/\"<>`{}", "", "http://a/%22%3C%3E%60%7B%7D"}, {"http://a/|!$&'()*+,;=:@[]~", "", "http://a/|!$&'()*+,;=:@[]~"},
	{"http://a/b\\c\\..\\d", "", "http://a/b/d"},
	{"http://a/b?x/../y", "", "http://a/b?x/../y"}, {"http://a/b#x/../y", "", "http://a/b#x/../y"},
	// queries and fragments
	{"http://a/?q='\"<>#", "", "http://a/?q=%27%22%3C%3E#"}, {"foo://a/?q='\"", "", "foo://a/?q='%22"},
	{"http://a/?é", "", "http://a/?%C3%A9"}, {"http://a/#é \"<>`", "", "http://a/#%C3%A9%20%22%3C%3E%60"}, {"http://a/?`{}|\\^", "", "http://a/?`{}|\\^"},
	{"http://a/#{}|'\\", "", "http://a/#{}|'\\"}, {"http://a/?a=b&c=d", "", "http://a/?a=b&c=d"},
	// relative
	{"", "http://a/b/c?d#e", "http://a/b/c?d"}, {"f", "http://a/b/c?d#e", "http://a/b/f"}, {"/f", "http://a/b/c?d#e", "http://a/f"},
	{"?f", "http://a/b/c?d#e", "http://a/b/c?f"}, {"#f", "http://a/b/c?d#e", "http://a/b/c?d#f"}, {"../f", "http://a/b/c/d", "http://a/b/f"},
	{"./f", "http://a/b/c", "http://a/b/f"}, {"..", "http://a/b/c/d", "http://a/b/"}, {".", "http://a/b/c", "http://a/b/"}, {"../../../../f", "http://a/b", "http://a/f"},
	{"//x/y", "https://a/b", "https://x/y"}, {"\\\\x\\y", "https://a/b", "https://x/y"}, {"\\f", "http://a/b/c", "http://a/f"}, {"///x", "http://a/b", "http://x/"},
	{"http:f", "http://a/b/c", "http://a/b/f"}, {"http:/f", "http://a/b/c", "http://a/f"}, {"https:f", "http://a/b/c", "https://f/"}, {"http:", "http://a/b/c?d", "http://a/b/c?d"},
	{"f:g", "http://a/b", "f:g"}, {"//", "http://a/b", ""}, {"//u:p@x:81/?q#h", "https://a", "https://u:p@x:81/?q#h"}, {" f ", "http://a/b", "http://a/f"},
	{"/f", "http://u:p@a:81/b", "http://u:p@a:81/f"}, {"b", "foo:opaque", ""}, {"#b", "foo:opaque", "foo:opaque#b"}, {"?b", "foo:opaque", ""}, {"", "foo:opaque", ""}, {"b", "no base", ""},
	{"b", "foo://h/a/c", "foo://h/a/b"}, {"/b", "foo://h", "foo://h/b"}, {"b", "foo://h", "foo://h/b"}, {"//y", "foo://h/x", "foo://y"}, {"../b", "foo:/a/c/d", "foo:/a/b"}, {"\\b", "foo://h/x", "foo://h/\\b"},
	// not special
	{"foo:", "", "foo:"}, {"foo:bar", "", "foo:bar"}, {"foo:/bar", "", "foo:/bar"}, {"foo://bar", "", "foo://bar"}, {"foo:///bar", "", "foo:///bar"}, {"foo://", "", "foo://"},
	{"foo://BAR/", "", "foo://BAR/"}, {"foo://b%41r/", "", "foo://b%41r/"}, {"foo://é/", "", "foo://%C3%A9/"}, {"foo://a b/", "", ""}, {"foo://a^b", "", ""}, {"foo://a:80", "", "foo://a:80"},
	{"foo://h/../x", "", "foo://h/x"}, {"foo://u:p@h:1/", "", "foo://u:p@h:1/"}, {"foo:a b?c d#e f", "", "foo:a b?c%20d#e%20f"}, {"mailto:a@b.c", "", "mailto:a@b.c"}, {"javascript:alert(1)", "", "javascript:alert(1)"},
	{"data:text/plain,é", "", "data:text/plain,%C3%A9"}, {"blob:https://a/x", "", "blob:https://a/x"}, {"web+demo:/.//not-a-host/", "", "web+demo:/.//not-a-host/"}, {"web+demo:/a/..//b", "", "web+demo:/.//b"}, {"non-special:/..//p", "", "non-special:/.//p"},
	{"a+b-c.1:x", "", "a+b-c.1:x"}, {"foo://:80/", "", ""}, {"foo://@/", "", ""},
	// IPv4
	{"http://1.2.3.4/", "", "http://1.2.3.4/"}, {"http://1.2.3/", "", "http://1.2.0.3/"}, {"http://1.2/", "", "http://1.0.0.2/"}, {"http://1/", "", "http://0.0.0.1/"}, {"http://256/", "", "http://0.0.1.0/"},
	{"http://0x7f.1/", "", "http://127.0.0.1/"}, {"http://017700000001", "", "http://127.0.0.1/"}, {"http://0x7F000001/", "", "http://127.0.0.1/"}, {"http://4294967295/", "", "http://255.255.255.255/"}, {"http://4294967296/", "", ""},
	{"http://1.2.3.4./", "", "http://1.2.3.4/"}, {"http://1.2.3.4.5/", "", ""}, {"http://1.2.3.256/", "", ""}, {"http://1.2.65536/", "", ""}, {"http://1.256.3.4/", "", ""}, {"http://0x/", "", "http://0.0.0.0/"}, {"http://0.0x.0/", "", "http://0.0.0.0/"},
	{"http://08/", "", ""}, {"http://1.08/", "", ""}, {"http://a.1/", "", ""}, {"http://a.0x1/", "", ""}, {"http://a.0xg/", "", "http://a.0xg/"}, {"http://1.2.3.4a/", "", "http://1.2.3.4a/"}, {"http://1..2/", "", ""}, {"http://foo.09/", "", ""}, {"http://foo.09../", "", "http://foo.09../"},
	{"http://１.２.３.４/", "", "http://1.2.3.4/"}, {"http://%31.2.3.4/", "", "http://1.2.3.4/"}, {"foo://1.2/", "", "foo://1.2/"}, {"http://99999999999999999999999999999999/", "", ""}, {"http://0xffffffffff/", "", ""},
	// IPv6
	{"http://[::1]/", "", "http://[::1]/"}, {"http://[::]/", "", "http://[::]/"}, {"http://[1::]/", "", "http://[1::]/"}, {"http://[2001:DB8:0:0:1:0:0:1]/", "", "http://[2001:db8::1:0:0:1]/"}, {"http://[1:2:3:4:5:6:7:8]:81/", "", "http://[1:2:3:4:5:6:7:8]:81/"},
	{"http://[1:0:2:0:0:3:0:4]/", "", "http://[1:0:2::3:0:4]/"}, {"http://[::1.2.3.4]/", "", "http://[::102:304]/"}, {"http://[::ffff:127.0.0.1]/", "", "http://[::ffff:7f00:1]/"}, {"http://[0:0:0:0:0:0:0:0]/", "", "http://[::]/"}, {"http://[1:2:0:4:5:6:7:8]/", "", "http://[1:2:0:4:5:6:7:8]/"},
	{"http://[0001::]/", "", "http://[1::]/"}, {"http://[1::2:3:4:5:6:7]/", "", "http://[1:0:2:3:4:5:6:7]/"}, {"foo://[::1]/", "", "foo://[::1]/"},
	{"http://[::1", "", ""}, {"http://[]/", "", ""}, {"http://[:1]/", "", ""}, {"http://[1:]/", "", ""}, {"http://[1::2::3]/", "", ""}, {"http://[12345::]/", "", ""}, {"http://[g::]/", "", ""}, {"http://[1:2:3:4:5:6:7:8:9]/", "", ""}, {"http://[1:2:3:4:5:6:7]/", "", ""},
	{"http://[::1.2.3]/", "", ""}, {"http://[::1.2.3.4.5]/", "", ""}, {"http://[::1.2.3.256]/", "", ""}, {"http://[::01.2.3.4]/", "", ""}, {"http://[::1.2.3.]/", "", ""}, {"http://[1:2:3:4:5:6:7:1.2.3.4]/", "", ""}, {"http://[::%31]/", "", ""}, {"http://[::1%eth0]/", "", ""}, {"http://a[::1]/", "", ""}, {"http://[::1]a/", "", ""}, {"http://[1:2:3:4:5:6:7::]/", "", "http://[1:2:3:4:5:6:7:0]/"},
	// domains
	{"http://ExAmPlE.CoM/", "", "http://example.com/"}, {"http://münchen.de/", "", "http://xn--mnchen-3ya.de/"}, {"http://faß.de/", "", "http://xn--fa-hia.de/"}, {"http://日本語。jp/", "", "http://xn--wgv71a119e.jp/"}, {"http://☕.example/", "", "http://xn--53h.example/"},
	{"http://xn--mnchen-3ya.de/", "", "http://xn--mnchen-3ya.de/"}, {"http://XN--MNCHEN-3YA.de/", "", "http://xn--mnchen-3ya.de/"}, {"http://xn--/", "", ""}, {"http://xn--a/", "", ""}, {"http://ex%41mple.com/", "", "http://example.com/"}, {"http://%C3%BC.de/", "", "http://xn--tda.de/"},
	{"http://a%00b/", "", ""}, {"http://a%20b/", "", ""}, {"http://a b/", "", ""}, {"http://a%b/", "", ""}, {"http://a<b/", "", ""}, {"http://a>b/", "", ""}, {"http://a^b/", "", ""}, {"http://a|b/", "", ""}, {"http://a%2fb/", "", ""}, {"http://a%3ab/", "", ""}, {"http://a\x7fb/", "", ""},
	{"http://\u00AD/", "", ""}, {"http://a\u00ADb/", "", "http://ab/"}, {"http://\uFFFD/", "", ""}, {"http://a\u200Db/", "", ""}, {"http://a!$&'()*+,;=b/", "", "http://a!$&'()*+,;=b/"}, {"http://Å.test/", "", "http://xn--5ca.test/"}, {"http://%ff/", "", ""}, {"http://ﬁ.test/", "", "http://fi.test/"},
	// files
	{"file:", "", "file:///"}, {"file:///a/b", "", "file:///a/b"}, {"file:/a/b", "", "file:///a/b"}, {"file:a", "", "file:///a"}, {"file://a/b", "", "file://a/b"}, {"file://localhost/b", "", "file:///b"}, {"file://LOCALHOST/b", "", "file:///b"},
	{"file:///C:/x", "", "file:///C:/x"}, {"file:///C|/x", "", "file:///C:/x"}, {"file:C:/x/..", "", "file:///C:/"}, {"file:///C:/..", "", "file:///C:/"}, {"file:///C:/../..", "", "file:///C:/"}, {"file://C:/x", "", "file:///C:/x"}, {"file:\\\\h\\x", "", "file://h/x"},
	{"/x", "file:///C:/y", "file:///C:/x"}, {"x", "file:///C:/y", "file:///C:/x"}, {"..", "file:///C:/", "file:///C:/"}, {"D:/x", "file:///C:/y", "d:/x"}, {"/D:/x", "file:///C:/y", "file:///D:/x"}, {"?q", "file:///a", "file:///a?q"}, {"#q", "file:///a?b", "file:///a?b#q"}, {"", "file:///a?b#c", "file:///a?b"},
	{"//h/x", "file:///a", "file://h/x"}, {"///x", "file:///a", "file:///x"}, {"file:x", "file:///a/b", "file:///a/x"}, {"C|", "file://h/d", "file://h/C:"}, {"C|a", "file://h/d/e", "file://h/d/C|a"}, {"file://h:80/", "", ""}, {"file://u@h/", "", ""}, {"file:///%43:/x", "", "file:///%43:/x"}, {"file://xn--/", "", ""},
}

func TestParseURL(t *testing.T) {
	for _, c := range urlCases {
		if got := parseCase(c); got != c.want {
			t.Errorf("%q against %q: %q, want %q", c.in, c.base, got, c.want)
		}
	}
	t.Logf("%d cases", len(urlCases))
}

func parseCase(c urlCase) string {
	var base *urlRecord
	if c.base != "" {
		var err error
		if base, err = parseURL(c.base, nil); err != nil {
			return ""
		}
	}
	u, err := parseURL(c.in, base)
	if err != nil {
		return ""
	}
	return u.href()
}

// describe lists all parts of a URL.
func (u *urlRecord) describe() string {
	return strings.Join([]string{u.text, u.origin(), u.protocol(), u.username(), u.password(), u.hostPort(), u.hostname(), u.portText(), u.pathname(), u.search(), u.hash()}, " ")
}

func TestFastPathAgrees(t *testing.T) {
	fast := 0
	check := func(s string) {
		u, ok := parsePlainURL(s)
		if !ok {
			return
		}
		fast++
		p, err := parseParts(s, nil)
		if err != nil || p.record().describe() != u.describe() {
			t.Errorf("%q: fast %s, slow %v", s, u.describe(), err)
		}
	}
	for _, c := range urlCases {
		check(c.in)
		check(c.want)
	}
	for i := range 256 {
		for _, form := range []string{"http://a%sb/", "http://%s/", "http://a/%sx", "http://a/?%s", "http://a/#%s", "http://a:%s/", "http://a%s"} {
			check(fmt.Sprintf(form, string(rune(i))))
		}
	}
	for _, base := range []string{"http://a/b/c?d#e", "https://a:81/", "http://u:p@a/x", "file:///x", "foo://h/x", "foo:x", "http://1.2.3.4/", "http://[::1]:9/x"} {
		b, err := parseURL(base, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"/", "/x", "//x", "/\\x", "/x/../y", "/x?q#h", "/x ", "/\t/x", "/.", "/é", "/x?'"} {
			u, err1 := parseURL(s, b)
			p, err2 := parseParts(s, b.parts())
			if (err1 == nil) != (err2 == nil) || err1 == nil && u.describe() != p.record().describe() {
				t.Errorf("%q against %s: %v %v %v", s, base, u, err1, err2)
			}
		}
	}
	if fast < 300 {
		t.Errorf("the fast path took %d cases only", fast)
	}
}

// knownNode are inputs where node 20 implements an older text of the standard.
func knownNode(c urlCase) bool {
	return strings.ContainsAny(c.in, "^") || strings.Contains(c.in, "\u200D")
}

func TestURLAgainstNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed: the comparison with another implementation needs it")
	}
	var input [][2]string
	for _, c := range urlCases {
		input = append(input, [2]string{c.in, c.base})
	}
	data, _ := json.Marshal(input)
	cmd := exec.Command(node, "-e", `
		let out = [];
		for (let [u, b] of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
			try {
				let x = b ? new URL(u, b) : new URL(u);
				out.push([x.href, x.origin, x.protocol, x.username, x.password, x.host, x.hostname, x.port, x.pathname, x.search, x.hash].join(" "));
			} catch { out.push("") }
		}
		console.log(JSON.stringify(out))`)
	cmd.Stdin = bytes.NewReader(data)
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for i, c := range urlCases {
		got := ""
		var base *urlRecord
		if c.base != "" {
			base, _ = parseURL(c.base, nil)
		}
		if c.base == "" || base != nil {
			if u, err := parseURL(c.in, base); err == nil {
				got = u.describe()
			}
		}
		if got != want[i] && !knownNode(c) {
			t.Errorf("%q against %q:\n got %s\nnode %s", c.in, c.base, got, want[i])
		}
	}
}

func TestURLClass(t *testing.T) {
	runScripts(t, []script{
		{`let u = new URL("https://u:p@h.example:8443/a/b?c=d#e"); [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash].join(" ")`,
			"https://u:p@h.example:8443/a/b?c=d#e https://h.example:8443 https: u p h.example:8443 h.example 8443 /a/b ?c=d #e"},
		{`new URL("nope")`, "! TypeError: Invalid URL string."},
		{`new URL()`, "! TypeError: Failed to construct 'URL': 1 argument required, but only 0 present."},
		{`new URL("/x", "https://a/b") + ""`, "https://a/x"},
		{`new URL("/x", undefined)`, "! TypeError: Invalid URL string."},
		{`new URL("/x", new URL("https://a/b")).href`, "https://a/x"},
		{`new URL({toString() { return "https://a/" }}).href`, "https://a/"},
		{`new URL(Symbol())`, "! TypeError: Cannot convert a Symbol value to a string"},
		{`new URL("https://a/\ud800").href`, "https://a/%EF%BF%BD"},
		{`JSON.stringify({u: new URL("https://a/")})`, `{"u":"https://a/"}`},
		{`URL.canParse("https://a") + "" + URL.canParse("x") + URL.canParse("x", "https://a") + URL.canParse("x", "y")`, "truefalsetruefalse"},
		{`URL.parse("x") + " " + URL.parse("x", "https://a")`, "null https://a/x"},
		{`Object.prototype.toString.call(new URL("a:b"))`, "[object URL]"},
		{`Object.keys(URL.prototype).join()`, "href,origin,protocol,username,password,host,hostname,port,pathname,search,searchParams,hash,toString,toJSON"},
		{`URL.prototype.toString.call({})`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`class My extends URL { get x() { return this.host } }; new My("https://h/").x`, "h"},
		{`new URL("blob:https://a:81/x").origin + new URL("blob:foo:bar").origin + new URL("file:///x").origin + new URL("data:x").origin`, "https://a:81nullnullnull"},
		{`let u = new URL("https://a"); u.searchParams === u.searchParams`, "true"},
		{`"use strict"; try { new URL("https://a").origin = "x" } catch (e) { e.name }`, "TypeError"},
	})
}

func TestURLSetters(t *testing.T) {
	for _, c := range []struct{ url, attribute, value, want string }{
		{"https://a/", "protocol", "http", "http://a/"}, {"https://a/", "protocol", "http:x", "http://a/"}, {"https://a/", "protocol", "foo", "https://a/"}, {"https://a/", "protocol", "1", "https://a/"}, {"https://a/", "protocol", "", "https://a/"},
		{"https://a:80/", "protocol", "http", "http://a/"}, {"http://u@a/", "protocol", "file", "http://u@a/"}, {"file:///x", "protocol", "http", "file:///x"}, {"file://h/x", "protocol", "https", "https://h/x"}, {"foo://h/x", "protocol", "bar", "bar://h/x"}, {"foo://h/x", "protocol", "http", "foo://h/x"}, {"https://a/", "protocol", "WS", "ws://a/"},
		{"https://a/", "username", "é@", "https://%C3%A9%40@a/"}, {"https://u:p@a/", "username", "", "https://:p@a/"}, {"file://h/", "username", "u", "file://h/"}, {"foo:x", "username", "u", "foo:x"}, {"foo:///x", "username", "u", "foo:///x"},
		{"https://a/", "password", "p:q", "https://:p%3Aq@a/"}, {"https://u:p@a/", "password", "", "https://u@a/"},
		{"https://a/x", "host", "b:81", "https://b:81/x"}, {"https://a:9/x", "host", "b", "https://b:9/x"}, {"https://a/x", "host", "b:443", "https://b/x"}, {"https://a/x", "host", "b:99999", "https://b/x"}, {"https://a/x", "host", "", "https://a/x"}, {"https://a/x", "host", "b/c", "https://b/x"}, {"https://a/x", "host", "b?c", "https://b/x"}, {"https://a/x", "host", "u@b", "https://a/x"}, {"https://a:9/x", "host", "b:", "https://b:9/x"},
		{"https://a/x", "host", "[::1]:81", "https://[::1]:81/x"}, {"https://a/x", "host", "[::1", "https://a/x"}, {"foo:x", "host", "b", "foo:x"}, {"foo://a/x", "host", "", "foo:///x"}, {"foo://a:9/x", "host", "", "foo://a:9/x"}, {"foo:/x", "host", "h", "foo://h/x"}, {"https://a/x", "host", "b c", "https://a/x"}, {"https://a/x", "host", "1.2", "https://1.0.0.2/x"},
		{"https://a:81/x", "hostname", "b", "https://b:81/x"}, {"https://a/x", "hostname", "b:82", "https://a/x"}, {"https://a/x", "hostname", "", "https://a/x"}, {"file:///x", "hostname", "h", "file://h/x"}, {"file://h/x", "hostname", "localhost", "file:///x"}, {"file://h/x", "hostname", "", "file:///x"},
		{"https://a/", "port", "81", "https://a:81/"}, {"https://a:81/", "port", "", "https://a/"}, {"https://a/", "port", "443", "https://a/"}, {"https://a:81/", "port", "x", "https://a:81/"}, {"https://a/", "port", "82x", "https://a:82/"}, {"https://a:81/", "port", "65536", "https://a:81/"}, {"https://a/", "port", "8/1", "https://a:8/"}, {"file://h/", "port", "1", "file://h/"}, {"https://a/", "port", "-1", "https://a/"}, {"https://a/", "port", "\t9\n1", "https://a:91/"},
		{"https://a/x?q#h", "pathname", "b/c", "https://a/b/c?q#h"}, {"https://a/x", "pathname", "", "https://a/"}, {"https://a/x", "pathname", "/?#é", "https://a/%3F%23%C3%A9"}, {"https://a/x", "pathname", "/a/../b", "https://a/b"}, {"foo:x", "pathname", "y", "foo:x"}, {"foo://h/x", "pathname", "", "foo://h"}, {"foo:/x", "pathname", "//y", "foo:/.//y"}, {"foo:/x", "pathname", "", "foo:/"}, {"https://a/", "pathname", "\\x\\y", "https://a/x/y"},
		{"https://a/x", "search", "q", "https://a/x?q"}, {"https://a/x", "search", "?q", "https://a/x?q"}, {"https://a/x?q", "search", "", "https://a/x"}, {"https://a/x?q", "search", "?", "https://a/x?"}, {"https://a/x", "search", "??a#b'", "https://a/x??a%23b%27"}, {"https://a/x#h", "search", "q", "https://a/x?q#h"},
		{"https://a/x", "hash", "h", "https://a/x#h"}, {"https://a/x#h", "hash", "", "https://a/x"}, {"https://a/x#h", "hash", "#", "https://a/x#"}, {"https://a/x", "hash", "##a b", "https://a/x##a%20b"}, {"foo:x", "hash", "h", "foo:x#h"},
		{"https://a/x", "href", "foo:bar", "foo:bar"},
	} {
		r := newTestRealm(t)
		src := fmt.Sprintf(`{ let u = new URL(%q); u[%q] = %q; u.href }`, c.url, c.attribute, c.value)
		if got := eval(t, r, src).String(); got != c.want {
			t.Errorf("%s: %s, want %s", src, got, c.want)
		}
	}
	runScripts(t, []script{{`let u = new URL("https://a/"); u.href = "nope"`, "! TypeError: Invalid URL string."}})
}

func TestURLSearchParams(t *testing.T) {
	runScripts(t, []script{
		{`new URLSearchParams("?a=1&b=2&a=3").getAll("a").join()`, "1,3"},
		{`new URLSearchParams("??a=1").has("?a")`, "true"},
		{`let p = new URLSearchParams("a=1&b"); [p.get("a"), p.get("b"), p.get("c"), p.size].join("|")`, "1|||2"},
		{`new URLSearchParams("a+b=%20%41%zz%&=x&&=&c").toString()`, "a+b=+A%25zz%25&=x&=&c="},
		{`new URLSearchParams("%EF%BB%BFa=%ff").toString()`, "%EF%BB%BFa=%EF%BF%BD"},
		{`new URLSearchParams({a: 1, b: "é ~*-._'()!"}).toString()`, "a=1&b=%C3%A9+%7E*-._%27%28%29%21"},
		{`new URLSearchParams([["a", "1"], new Set(["b", 2])]).toString()`, "a=1&b=2"},
		{`new URLSearchParams(new Map([["a", "1"]])).toString()`, "a=1"},
		{`new URLSearchParams(new URLSearchParams("a=1&a=2")).toString()`, "a=1&a=2"},
		{`new URLSearchParams().toString() + new URLSearchParams(undefined).size + new URLSearchParams(null)`, "0null="},
		{`new URLSearchParams(5).toString()`, "5="},
		{`new URLSearchParams([["a"]])`, "! TypeError: Failed to construct 'URLSearchParams': Sequence initializer must only contain pair elements"},
		{`new URLSearchParams([["a", "b", "c"]])`, "! TypeError: Failed to construct 'URLSearchParams': Sequence initializer must only contain pair elements"},
		{`new URLSearchParams([1])`, "! TypeError: Failed to construct 'URLSearchParams': The provided value cannot be converted to a sequence."},
		{`new URLSearchParams(new Array(1e9))`, "! TypeError: Failed to construct 'URLSearchParams': The provided value cannot be converted to a sequence."},
		{`new URLSearchParams({[Symbol("x")]: 1})`, "! TypeError: Cannot convert a Symbol value to a string"},
		{`new URLSearchParams({"\ud800": 1, "\ufffd": 2}).toString()`, "%EF%BF%BD=2"},
		{`new URLSearchParams({[Symbol.iterator]: 5})`, "! TypeError: 5 is not a method"},
		{`let p = new URLSearchParams("a=1&b=2&a=3"); p.set("a", 9); p.set("c", 8); p + ""`, "a=9&b=2&c=8"},
		{`let p = new URLSearchParams("a=1&a=2&b=1"); p.delete("a", "1"); p + ""`, "a=2&b=1"},
		{`let p = new URLSearchParams("a=1&a=2&b=1"); p.delete("a", undefined); p + ""`, "b=1"},
		{`let p = new URLSearchParams("a=1"); [p.has("a", "1"), p.has("a", 2), p.has("a", undefined)].join()`, "true,false,true"},
		{`let p = new URLSearchParams("z=1&a=2&z=0&\u{10000}=x&\uffff=y"); p.sort(); [...p.keys()].map(k => k.codePointAt(0).toString(16)).join()`, "61,7a,7a,10000,ffff"},
		{`let p = new URLSearchParams("b=1&a=2&b=0"); p.sort(); p + ""`, "a=2&b=1&b=0"},
		{`[...new URLSearchParams("a=1&b=2")].join("|") + [...new URLSearchParams("a=1").values()]`, "a,1|b,21"},
		{`let p = new URLSearchParams("a=1&b=2&c=3"), s = ""; for (let [k] of p) { s += k; p.delete(k) } s + p`, "acb=2"},
		{`let p = new URLSearchParams("a=1"), s = 0; for (let [k] of p) { if (s++ < 3) p.append("x", s) } p + ""`, "a=1&x=1&x=2&x=3"},
		{`let s = ""; new URLSearchParams("a=1&b=2").forEach(function (v, k, p) { s += k + v + this + p.size }, "T"); s`, "a1T2b2T2"},
		{`new URLSearchParams("a=1").forEach(5)`, "! TypeError: Failed to execute 'forEach' on 'URLSearchParams': parameter 1 is not of type 'Function'."},
		{`Object.prototype.toString.call(new URLSearchParams().entries()) + URLSearchParams.prototype[Symbol.iterator].name`, "[object URLSearchParams Iterator]entries"},
		{`new URLSearchParams().append("a")`, "! TypeError: Failed to execute 'append' on 'URLSearchParams': 2 arguments required, but only 1 present."},
		{`URLSearchParams.prototype.get.call(new URL("a:b"), "x")`, "! TypeError: Illegal invocation: function called with incorrect `this` reference."},
		{`let u = new URL("https://a/?x=1"); u.searchParams.append("y", "é"); u.href + u.search`, "https://a/?x=1&y=%C3%A9?x=1&y=%C3%A9"},
		{`let u = new URL("https://a/?x=1"), p = u.searchParams; u.search = "?z=9"; p.get("z") + p.size`, "91"},
		{`let u = new URL("https://a/?x=1"), p = u.searchParams; u.href = "foo:bar?q=2"; p.get("q")`, "2"},
		{`let u = new URL("https://a/?x=1"); u.searchParams.delete("x"); u.href`, "https://a/"},
		{`let u = new URL("https://a/?x=%20y"); u.searchParams; u.href`, "https://a/?x=%20y"},
		{`let u = new URL("https://a/?x=%20y"); u.searchParams.sort(); u.href`, "https://a/?x=+y"},
		{`let u = new URL("https://a/"); u.searchParams.set("a", "1"); u.hash = "h"; u.pathname = "/b"; u.href`, "https://a/b?a=1#h"},
		{`let u = new URL("https://a/"), p = u.searchParams; p.set("a", "1"); u.search = ""; p.size + u.href`, "0https://a/"},
	})
}

// Hostile inputs take time in proportion to their length.
func TestURLHostile(t *testing.T) {
	const n = 1 << 20
	for _, s := range []string{
		"http://" + strings.Repeat("@", n) + "a/", "http://" + strings.Repeat("a:", n) + "@a/", "http://" + strings.Repeat("a.", n), "http://a/" + strings.Repeat("../", n),
		"http://" + strings.Repeat("ü", n), "http://xn--" + strings.Repeat("a", n), "http://" + strings.Repeat("1.", n), "http://a:" + strings.Repeat("0", n), "http://[" + strings.Repeat(":", n) + "]",
		"foo:" + strings.Repeat(" ", n) + "#", strings.Repeat("a", n) + ":", "http://0x" + strings.Repeat("f", n), "http://a/?" + strings.Repeat("'", n), "http://a/" + strings.Repeat("%2e/", n), "http://" + strings.Repeat("%61", n),
		strings.Repeat("blob:", n) + "x",
	} {
		start := time.Now()
		if u, err := parseURL(s, nil); err == nil {
			u.origin()
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%.20s…: %v", s, d)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, c := range urlCases {
		f.Add(c.in, c.base)
	}
	f.Fuzz(func(t *testing.T, in, base string) {
		in, base = strings.ToValidUTF8(in, "\uFFFD"), strings.ToValidUTF8(base, "\uFFFD")
		b, err := parseURL(base, nil)
		if err != nil {
			b = nil
		}
		u, err := parseURL(in, b)
		if err != nil {
			return
		}
		again, err := parseURL(u.href(), nil)
		if err != nil || again.describe() != u.describe() {
			t.Errorf("%q: %s is not a fixed point: %v", in, u.describe(), err)
		}
		if again := u.parts().record(); *again != *u {
			t.Errorf("%q: parts give %+v, want %+v", in, again, u)
		}
	})
}

func BenchmarkURL(b *testing.B) {
	for name, src := range map[string]string{
		"plain":    `new URL("https://example.com/api/items/17?page=2").pathname`,
		"relative": `new URL("/api/items?x=1", "https://example.com/").pathname`,
		"params":   `new URL("https://example.com/api?page=2&size=10").searchParams.get("size")`,
	} {
		b.Run(name, func(b *testing.B) {
			r := newTestRealm(b)
			v := eval(b, r, "(n) => { for (let i = 0; i < n; i++) "+src+" }")
			eval(b, r, src)
			fn, _ := callable(v)
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := fn(nil, r.VM.ToValue(b.N)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
