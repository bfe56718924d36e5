package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// start runs the program on a folder and returns the URL that it prints. stop
// ends it as an interrupt does.
func start(t *testing.T, data string) (page string, stop func()) {
	t.Helper()
	out := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	defer func() { os.Stdout = out }()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-data", data, "-open=false", "-isolation=process"})
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	page, ok := strings.CutPrefix(strings.TrimSpace(line), "playground ")
	if !ok || !strings.HasPrefix(page, "http://127.0.0.1:") {
		t.Fatalf("printed %q", line)
	}
	return page, func() {
		t.Helper()
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it does not end")
		}
		w.Close()
		if rest, _ := io.ReadAll(r); len(rest) > 0 {
			t.Errorf("printed more: %q", rest)
		}
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// makeProject makes a project through the page's API.
func makeProject(t *testing.T, page, id, template string) {
	t.Helper()
	_, body := get(t, page+"api/session")
	var session struct{ Token string }
	if err := json.Unmarshal([]byte(body), &session); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", page+"api/projects", strings.NewReader(`{"id":"`+id+`","template":"`+template+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Playground-Token", session.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 201 {
		t.Fatal(resp.Status)
	}
}

func TestProjectsSurviveARestart(t *testing.T) {
	data := t.TempDir()
	page, stop := start(t, data)
	if status, body := get(t, strings.TrimSuffix(page, "playgrounds/")); status != 200 || !strings.Contains(body, "<title>Playground</title>") {
		t.Errorf("the root shows %d %.200s", status, body)
	}
	makeProject(t, page, "kept", "static")
	// An open stream must not hold up the end.
	resp, err := http.Get(page + "api/events?project=kept")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stop()

	page, stop = start(t, data)
	defer stop()
	if status, body := get(t, page+"api/projects/kept"); status != 200 || !strings.Contains(body, "index.html") {
		t.Errorf("after a restart: %d %s", status, body)
	}
	if status, body := get(t, page+"canvas/kept/"); status != 200 || !strings.Contains(body, "Slow Sundays") {
		t.Errorf("its canvas: %d %.300s", status, body)
	}
}

func TestBadArguments(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is taken ends at once
	for _, args := range [][]string{{"x"}, {"-isolation", "none"}, {"-data", "/dev/null/x"}, {"-addr", "nowhere:x"}} {
		args := append([]string{"-open=false", "-addr", "127.0.0.1:0", "-data", t.TempDir()}, args...)
		if err := run(ctx, args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestOtherNamesOfThisMachineAreRefused(t *testing.T) {
	h := knownHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, want := range map[string]int{
		"localhost:8080": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "localhost": 200, "127.0.0.2": 200,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "": 421, "10.0.0.1": 421,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
}
