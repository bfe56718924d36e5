package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

// The test binary is the program as well.
func TestMain(m *testing.M) {
	engine.Main()
	if os.Getenv("SINGLE_IS_THE_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start runs the program and returns its URL, and what ends it.
func start(t *testing.T, data string) (base string, stop func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-addr", "127.0.0.1:0", "-data", data)
	cmd.Env = append(os.Environ(), "SINGLE_IS_THE_PROGRAM=1")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		if cmd.ProcessState != nil {
			return
		}
		if runtime.GOOS == "windows" { // which has no signal to send
			cmd.Process.Kill()
			cmd.Wait()
			return
		}
		late := time.AfterFunc(8*time.Second, func() { cmd.Process.Kill() })
		defer late.Stop()
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("after an interrupt it ends with %v", err)
		}
	}
	t.Cleanup(stop)
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base, ok := strings.CutPrefix(strings.TrimSpace(line), "single ")
	if !ok {
		t.Fatalf("it printed %q", line)
	}
	return base, stop
}

// A visitor is a browser as far as the tests need one.
type visitor struct {
	t      *testing.T
	client *http.Client
}

func newVisitor(t *testing.T) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, &http.Client{Jar: jar}}
}

// opens visits a page and returns where that ended, and the page.
func (v *visitor) opens(page string) (at string, status int, body string) {
	return v.sends("GET", page, "", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
}

func (v *visitor) sends(method, to, form string, pairs ...string) (at string, status int, body string) {
	v.t.Helper()
	req, err := http.NewRequest(method, to, strings.NewReader(form))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Set(pairs[i], pairs[i+1])
	}
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.Request.URL.String(), resp.StatusCode, string(data)
}

// api asks as the page at at does: by a relative URL, without cookies.
func api(t *testing.T, at, method, form string) string {
	t.Helper()
	base, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	_, status, body := newVisitor(t).sends(method, base.JoinPath("api/notes").String(), form, "Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors")
	if status != 200 {
		t.Errorf("%s api/notes: %d %s", method, status, body)
	}
	return body
}

func TestNotesBehindALogin(t *testing.T) {
	data := t.TempDir()
	base, stop := start(t, data)

	ann := newVisitor(t)
	if at, _, body := ann.opens(base + "notes/"); at != base+"login" || !strings.Contains(body, "<form") {
		t.Errorf("a stranger gets %s %s", at, body)
	}
	if _, status, _ := ann.sends("POST", base+"login", "name=x", "Origin", "null", "Sec-Fetch-Site", "cross-site"); status != 403 {
		t.Errorf("a form of another site: %d", status)
	}
	ann.sends("POST", base+"login", "name=Ann")
	at, status, body := ann.opens(base + "notes/")
	if status != 200 || !strings.HasPrefix(at, base+"notes/~") || !strings.Contains(body, "<title>Notes</title>") {
		t.Fatalf("ann gets %s %d %s", at, status, body)
	}
	if got := api(t, at, "POST", "text=buy+milk"); got != `{"user":"Ann","notes":["buy milk"]}` {
		t.Error(got)
	}
	bob := newVisitor(t)
	bob.sends("POST", base+"login", "name=Bob")
	bobs, _, _ := bob.opens(base + "notes/")
	if got := api(t, bobs, "GET", ""); got != `{"user":"Bob","notes":[]}` {
		t.Error(got)
	}

	// What a page has of ann ends with her session.
	ann.sends("POST", base+"logout", "")
	if _, status, body := newVisitor(t).sends("GET", at+"api/notes", "", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "cross-site"); status == 200 {
		t.Errorf("after she left: %d %s", status, body)
	}
	stop()

	base, _ = start(t, data)
	ann.sends("POST", base+"login", "name=Ann")
	at, _, _ = ann.opens(base + "notes/")
	if got := api(t, at, "GET", ""); got != `{"user":"Ann","notes":["buy milk"]}` {
		t.Errorf("after a restart: %s", got)
	}
}
