package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

// The test binary is the program as well.
func TestMain(m *testing.M) {
	engine.Main()
	if os.Getenv("HELLO_IS_THE_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start runs the program until the end of the test and returns its URL.
func start(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	cmd := exec.Command(os.Args[0], "-addr", addr)
	cmd.Env = append(os.Environ(), "HELLO_IS_THE_PROGRAM=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if said.Len() > 0 {
			t.Errorf("on standard error: %s", &said)
		}
	})
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return "http://" + addr + "/"
		}
	}
	t.Fatal("it does not listen")
	return ""
}

func TestTheFunctionAnswers(t *testing.T) {
	url := start(t)
	for path, want := range map[string]string{"": "<h1></h1>", "api/": `"hello, gopher"`} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), want) {
			t.Errorf("/%s: %s %q %v, want %q", path, resp.Status, body, err, want)
		}
	}
}
