package routers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v3"
	"samkit.dev/canvas"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

var files = sam.Files{
	"index.html":     `<!doctype html><link rel="stylesheet" href="/css/app.css"><script type="module" src="./js/app.js"></script><a href="sub/">sub</a><form action="/api/form" method="post"></form>`,
	"css/app.css":    `body { background: url(/img/dot.svg) }`,
	"js/app.js":      `import "./other.js"`,
	"js/other.js":    `export {}`,
	"img/dot.svg":    `<svg xmlns="http://www.w3.org/2000/svg"/>`,
	"sub/index.html": `<!doctype html><img src="../img/dot.svg"><img src="/img/dot.svg"><a href="./">here</a>`,
	"functions.js": `export default {
		async fetch(request) {
			const url = new URL(request.url)
			switch (url.pathname) {
			case "/api/where": return Response.json({ path: url.pathname, query: url.search, host: url.host })
			case "/api/old": return Response.redirect(new URL("/api/where?from=old", request.url), 302)
			case "/api/form": return new Response(null, { status: 303, headers: { Location: "/sub/" } })
			case "/api/upload": {
				const form = await request.formData(), file = form.get("file")
				const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()))
				return Response.json({ name: file.name, size: file.size, note: form.get("note"), sum: [...sum].map(b => b.toString(16).padStart(2, "0")).join("") })
			}
			case "/api/events": {
				const encoder = new TextEncoder()
				let n = 0
				const body = new ReadableStream({
					async pull(c) {
						if (n === 3) return c.close()
						if (n > 0) await new Promise(done => setTimeout(done, 300))
						c.enqueue(encoder.encode("data: " + ++n + "\n\n"))
					},
				})
				return new Response(body, { headers: { "Content-Type": "text/event-stream" } })
			}
			}
			return new Response("no " + url.pathname, { status: 404 })
		},
	}`,
}

const prefix = "/tools/app/"

// routers are the ways to serve h; each returns where it listens, "http://host:port".
var routers = []struct {
	name  string
	serve func(*testing.T, *canvas.Handler) string
}{
	{"net/http", serving(NetHTTP)},
	{"chi", serving(Chi)},
	{"gin", serving(Gin)},
	{"echo", serving(Echo)},
	{"gorilla", serving(Gorilla)},
	{"fiber", func(t *testing.T, h *canvas.Handler) string {
		app := Fiber(h)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- app.Listener(ln, fiber.ListenConfig{DisableStartupMessage: true}) }()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			if err := app.ShutdownWithContext(ctx); err != nil {
				t.Error(err)
			}
			<-ended
		})
		return "http://" + ln.Addr().String()
	}},
}

func serving(mount func(*canvas.Handler) http.Handler) func(*testing.T, *canvas.Handler) string {
	return func(t *testing.T, h *canvas.Handler) string {
		s := httptest.NewServer(mount(h))
		t.Cleanup(s.Close)
		return s.URL
	}
}

func TestRouters(t *testing.T) {
	eng, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	app, err := sam.NewWorkspace(sam.NewMemStore(), "o", nil).Create(t.Context(), "app", files)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routers {
		t.Run(r.name, func(t *testing.T) {
			h, err := canvas.New(canvas.App{Project: app}, &canvas.Options{Engine: eng})
			if err != nil {
				t.Fatal(err)
			}
			v := &visitor{t: t, root: r.serve(t, h) + prefix}
			t.Cleanup(func() { h.Close() }) // before the server's Close, which waits for streams
			t.Run("pages", v.pages)
			t.Run("paths", v.paths)
			t.Run("redirects", v.redirects)
			t.Run("upload", v.upload)
			t.Run("events", v.events)
			t.Run("reload", v.reload)
		})
	}
}

// A visitor asks for an app at root.
type visitor struct {
	t    *testing.T
	root string
}

var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       20 * time.Second,
}

func get(t *testing.T, url string, pairs ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Set(pairs[i], pairs[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func navigate(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	return get(t, url, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Accept", "text/html")
}

// resolve does what a browser does with a link.
func resolve(t *testing.T, from, link string) string {
	t.Helper()
	base, err := url.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	u, err := base.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.String()
}

var links = regexp.MustCompile(`(?:src|href)="?([^"> ]+)|url\(["']?([^"')]+)`)

// pages follows every link of every page and style sheet: all lead into the app, and to a file.
func (v *visitor) pages(t *testing.T) {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(at string) {
		if seen[at] {
			return
		}
		seen[at] = true
		if !strings.HasPrefix(at, v.root) {
			t.Errorf("a link leads out of the app: %s", at)
			return
		}
		resp, body := navigate(t, at)
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", at, resp.Status)
		}
		if ext := path.Ext(at); ext == ".css" || ext == "" || strings.HasSuffix(at, "/") {
			for _, m := range links.FindAllStringSubmatch(body, -1) {
				visit(resolve(t, at, m[1]+m[2]))
			}
		}
	}
	visit(v.root)
	for _, want := range []string{"", "css/app.css", "js/app.js", "img/dot.svg", "sub/"} {
		if !seen[v.root+want] {
			t.Errorf("no link leads to %q; seen: %v", want, seen)
		}
	}
}

// paths checks what functions.js sees, and what is refused.
func (v *visitor) paths(t *testing.T) {
	host := strings.TrimPrefix(strings.TrimSuffix(v.root, prefix), "http://")
	resp, body := get(t, v.root+"api/where?a=1&b=%2F")
	if want := fmt.Sprintf(`{"path":"/api/where","query":"?a=1&b=%%2F","host":%q}`, host); resp.StatusCode != 200 || body != want {
		t.Errorf("functions.js sees %s %s, want %s", resp.Status, body, want)
	}
	for _, bad := range []string{"functions.js", "..%2findex.html", "js%2fapp.js", "js%5capp.js", "%2e%2e/%2e%2e/x", "a%00b"} {
		if resp, body := get(t, v.root+bad); resp.StatusCode < 400 && !strings.HasPrefix(resp.Header.Get("Location"), "/") {
			t.Errorf("%s: %s %s", bad, resp.Status, body)
		}
	}
}

func (v *visitor) redirects(t *testing.T) {
	for from, want := range map[string]string{
		strings.TrimSuffix(v.root, "/"): v.root,
		v.root + "sub":                  v.root + "sub/",
		v.root + "api/old":              v.root + "api/where?from=old",
		v.root + "api/form":             v.root + "sub/",
	} {
		resp, _ := navigate(t, from)
		if loc := resp.Header.Get("Location"); resp.StatusCode < 300 || resp.StatusCode > 399 || loc == "" || resolve(t, from, loc) != want {
			t.Errorf("%s: %s to %q, want %s", from, resp.Status, loc, want)
		}
	}
}

func (v *visitor) upload(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 6<<20/16)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("note", "grüße")
	part, err := form.CreateFormFile("file", "six.bin")
	if err != nil {
		t.Fatal(err)
	}
	part.Write(data)
	form.Close()
	resp, err := client.Post(v.root+"api/upload", form.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"name":"six.bin","size":%d,"note":"grüße","sum":%q}`, len(data), sam.Hash(data))
	if resp.StatusCode != 200 || string(got) != want {
		t.Errorf("%s %.300s, want %s", resp.Status, got, want)
	}
}

// events checks that what functions.js streams arrives when it is sent.
func (v *visitor) events(t *testing.T) {
	began := time.Now()
	resp, err := client.Get(v.root + "api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	var got []string
	var first, last time.Duration
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if last = time.Since(began); first == 0 {
				first = last
			}
			got = append(got, text)
		}
	}
	if strings.Join(got, " ") != "1 2 3" {
		t.Errorf("got %q", got)
	}
	if last-first < 400*time.Millisecond {
		t.Errorf("they came together: the first after %v, the last after %v", first, last)
	}
}

// reload checks the stream that tells pages of changes.
func (v *visitor) reload(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", v.root+"~events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatal(resp.Status, resp.Header)
	}
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
		t.Error(err)
	}
}
