package engine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"samkit.dev/host/engine"
	"samkit.dev/internal/workers"
)

func TestMain(m *testing.M) {
	if os.Getenv("FORGET_MAIN") == "" {
		engine.Main()
	}
	os.Exit(m.Run())
}

func TestForgottenMain(t *testing.T) {
	if os.Getenv("FORGET_MAIN") != "" {
		_, err := engine.New(nil)
		if err == nil || !strings.Contains(err.Error(), "func TestMain") {
			t.Fatalf("New without Main: %v", err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestForgottenMain")
	cmd.Env = append(os.Environ(), "FORGET_MAIN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestCommand runs workers by another program, in one that does not call Main.
func TestCommand(t *testing.T) {
	if os.Getenv("FORGET_MAIN") != "" {
		for _, level := range []engine.Isolation{engine.Sandboxed, engine.Process} {
			e, err := engine.New(&engine.Options{Isolation: level, Command: []string{os.Args[0]}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			const code = `exports.default = { fetch: () => new Response("ok") }`
			app := &workers.App{Domain: "a", Version: "1", Project: "a", Script: &workers.Script{Code: []byte(code), Hash: code}}
			res, err := e.Pool().Fetch(t.Context(), app, &workers.Request{Method: "GET", URL: "http://test/"})
			if err != nil || string(res.Bytes) != "ok" {
				t.Errorf("%v: %v", level, err)
			}
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestCommand")
	cmd.Env = append(os.Environ(), "FORGET_MAIN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestClose(t *testing.T) {
	for _, level := range []engine.Isolation{engine.Sandboxed, engine.Process, engine.InProcess} {
		e, err := engine.New(&engine.Options{Isolation: level})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Stats().Isolation; got != level {
			t.Errorf("level reached %v, want %v", got, level)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error("second Close:", err)
		}
	}
}

func TestIsolationText(t *testing.T) {
	var i engine.Isolation
	if err := i.UnmarshalText([]byte("process")); err != nil || i != engine.Process {
		t.Error(i, err)
	}
	if err := i.UnmarshalText([]byte("none")); err == nil {
		t.Error("an unknown level was accepted")
	}
}
