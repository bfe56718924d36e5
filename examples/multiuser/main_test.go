package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// start runs the program and returns its URL.
func start(t *testing.T, data string) (base string, stop func()) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = write
	defer func() { os.Stdout = stdout }()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, "127.0.0.1:0", data); write.Close() }()
	line := make([]byte, 200)
	n, err := read.Read(line)
	if err != nil {
		t.Fatal(err, <-ended)
	}
	base, ok := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "multiuser ")
	if !ok {
		t.Fatalf("it printed %q", line[:n])
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("it ends with %v", err)
		}
		read.Close()
	}
	t.Cleanup(stop)
	return base, stop
}

// A browser is what the tests need of one.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
}

func logIn(t *testing.T, base, name string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t, base, &http.Client{Jar: jar}}
	if status, body := b.post("login", url.Values{"name": {name}}); status != 200 || !strings.Contains(body, "The bench of "+name) {
		t.Fatalf("%s gets %d %s", name, status, body)
	}
	return b
}

func (b *browser) post(at string, form url.Values) (int, string) {
	b.t.Helper()
	res, err := b.client.PostForm(b.base+at, form)
	return answer(b.t, res, err)
}

func (b *browser) desk() string {
	b.t.Helper()
	res, err := b.client.Get(b.base)
	status, body := answer(b.t, res, err)
	if status != 200 {
		b.t.Fatalf("the desk: %d %s", status, body)
	}
	return body
}

func answer(t *testing.T, res *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// frames returns the sealed paths on the desk: those of work, agent and tools.
func (b *browser) frames() []string {
	b.t.Helper()
	var all []string
	for _, m := range regexp.MustCompile(`<iframe src="([^"]+)"`).FindAllStringSubmatch(b.desk(), -1) {
		all = append(all, b.base+m[1])
	}
	return all
}

// api asks as the page in a frame does: without cookies.
func api(t *testing.T, method, at string, form url.Values) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, at, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	return answer(t, res, err)
}

func wants(t *testing.T, what string, status int, body string, wantStatus int, want string) {
	t.Helper()
	if status != wantStatus || !strings.Contains(body, want) {
		t.Errorf("%s: %d %s; want %d %s", what, status, body, wantStatus, want)
	}
}

func TestTwoPeople(t *testing.T) {
	data := t.TempDir()
	base, stop := start(t, data)
	res, err := http.Get(base)
	if status, body := answer(t, res, err); status != 200 || !strings.Contains(body, "Log in") {
		t.Errorf("a stranger gets %d %s", status, body)
	}
	ann, bob := logIn(t, base, "ann"), logIn(t, base, "bob")
	anns, bobs := ann.frames(), bob.frames()
	if len(anns) != 2 || len(bobs) != 2 {
		t.Fatalf("frames %v, %v", anns, bobs)
	}

	// The work project has one function of the program, and the program knows who asks.
	status, body := api(t, "GET", anns[0]+"api/customer?id=7", nil)
	wants(t, "the dashboard", status, body, 200, `{"name":"Customer 7","lookedFor":"ann"}`)

	// The agent edits ann's dashboard, and not bob's.
	status, body = api(t, "POST", anns[1]+"api/title", url.Values{"title": {"Ann's figures"}})
	wants(t, "the agent", status, body, 200, `"title":"Ann's figures"`)
	status, body = api(t, "GET", anns[0], nil)
	wants(t, "ann's dashboard", status, body, 200, "<h1>Ann's figures</h1>")
	status, body = api(t, "GET", bobs[0], nil)
	wants(t, "bob's dashboard", status, body, 200, "<h1>Dashboard</h1>")

	// The tool sees docs, until it is closed: in the middle of a request, too.
	ann.post("tool", nil)
	reader := ann.frames()[2]
	status, body = api(t, "GET", reader+"api/files", nil)
	wants(t, "the reader lists", status, body, 200, `{"files":[{"path":"docs/welcome.md"`)
	status, body = api(t, "GET", reader+"api/file?path=docs/welcome.md", nil)
	wants(t, "the reader reads", status, body, 200, "# Welcome")
	status, body = api(t, "GET", reader+"api/file?path=index.html", nil)
	wants(t, "the reader reads on", status, body, 403, `"code":"denied"`)
	type result struct {
		status int
		body   string
	}
	waiting := make(chan result, 1)
	go func() {
		status, body := api(t, "GET", reader+"api/changes", nil)
		waiting <- result{status, body}
	}()
	until(t, "the reader waits", func() bool { return strings.Count(ann.desk(), "files@1.changes") > 0 })
	session := regexp.MustCompile(`name=session value="([^"]+)"`).FindStringSubmatch(ann.desk())[1]
	bob.post("close", url.Values{"session": {session}}) // it is not his
	if len(ann.frames()) != 3 {
		t.Error("bob closed ann's tool")
	}
	ann.post("close", url.Values{"session": {session}})
	got := <-waiting
	wants(t, "a reader that was closed", got.status, got.body, 403, "This session has ended.")
	status, _ = api(t, "GET", reader+"api/files", nil)
	if status != 403 {
		t.Errorf("the reader's path leads on: %d", status)
	}

	// All of it is on ann's record, and nothing of it on bob's.
	calls := ann.desk()
	for _, want := range []string{"agent assistant<td>files@1.write<td>dashboard/index.html<td>ok", "tool reader<td>files@1.read<td>dashboard/index.html<td>denied", "app dashboard<td>crm@1.lookup"} {
		if !strings.Contains(calls, want) {
			t.Errorf("the record lacks %q: %s", want, calls)
		}
	}
	if strings.Contains(bob.desk(), "<tr>") {
		t.Error("bob's record has calls of others")
	}

	// Logging out ends what ann's pages can do; bob's go on.
	ann.post("logout", nil)
	if status, _ := api(t, "POST", anns[1]+"api/title", url.Values{"title": {"x"}}); status == 200 {
		t.Error("the agent works for somebody who has left")
	}
	status, body = api(t, "GET", bobs[0]+"api/customer?id=1", nil)
	wants(t, "bob's dashboard", status, body, 200, `"lookedFor":"bob"`)

	stop()
	base, _ = start(t, data)
	status, body = api(t, "GET", logIn(t, base, "ann").frames()[0], nil)
	wants(t, "after a restart", status, body, 200, "<h1>Ann's figures</h1>")
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what + ": not in 30 seconds")
		}
	}
}
