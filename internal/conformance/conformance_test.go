package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"samkit.dev/host/engine"
	"samkit.dev/internal/conformance/peer"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// TestProbes proves that samkit differs from workerd where differences.json says so and
// nowhere else, that it does the same in processes, and that the page is current.
func TestProbes(t *testing.T) {
	peer.Require(t)
	known, err := accepted()
	if err != nil {
		t.Fatal(err)
	}
	both, err := peer.Open(t.Context(), engine.InProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	samkit, workerd, err := observeBoth(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	found, err := compare(samkit, workerd)
	if err != nil {
		t.Fatal(err)
	}
	if err := unexpected(found, known); err != nil {
		t.Fatal(err)
	}
	tests, err := shares(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	want, err := page(workerd, found, known, tests)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile(pagePath); err != nil || steady(string(have)) != steady(want) {
		t.Errorf("%s is not what `go run .` writes (%v)", pagePath, err)
	}
	t.Run("Sandboxed", func(t *testing.T) { sameSandboxed(t, samkit) })
}

// steady leaves out what workerd passes of the standards: its timers may be late.
func steady(page string) string { return workerdShare.ReplaceAllString(page, "| |") }

var workerdShare = regexp.MustCompile(`(?m)\| \d+% \|$`)

func sameSandboxed(t *testing.T, want []outcome) {
	s, err := peer.OpenSamkit(engine.Sandboxed)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := observe(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	differ, err := compare(got, want)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differ {
		t.Errorf("%s\n  sandboxed  %.2000s\n  in process %.2000s", d.Probe, d.Samkit, d.Workerd)
	}
}

func TestUnexpected(t *testing.T) {
	a, b := difference{Probe: "kv/a", Reason: "r"}, difference{Probe: "kv/b", Reason: "r"}
	for _, tt := range []struct {
		found, known []difference
		want         string
	}{
		{[]difference{a}, []difference{a}, ""},
		{[]difference{a, b}, []difference{a}, "kv/b differs and is not"},
		{[]difference{a}, []difference{a, b}, "kv/b is in differences.json and does not differ"},
		{[]difference{a}, []difference{a, a}, "kv/a twice"},
	} {
		err := unexpected(tt.found, tt.known)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: %v", tt, err)
		}
	}
	if _, err := compare([]outcome{{"x", "1"}}, nil); err == nil {
		t.Error("a probe that ran in samkit only passes")
	}
}
