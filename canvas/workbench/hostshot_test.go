package workbench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"samkit.dev/host"
)

func TestScreenshot(t *testing.T) {
	var got Shot
	png, failure := []byte("\x89PNG"), error(nil)
	_, call := withAgent(t, Options{Screenshot: func(_ context.Context, s Shot) ([]byte, error) {
		got = s
		return png, failure
	}})
	has(t, "as it is", call("canvas.screenshot", nil), `{"png":"iVBORw=="}`)
	if got != (Shot{"notes", "", 1280, 800}) {
		t.Errorf("%+v", got)
	}
	has(t, "a page", call("canvas.screenshot", m{"project": "bot", "path": "a/b.html?x=../1#top", "width": 390, "height": 844}), `{"png":`)
	if got != (Shot{"bot", "a/b.html?x=../1#top", 390, 844}) {
		t.Errorf("%+v", got)
	}
	for _, bad := range []m{
		{"width": -1}, {"height": maxShotSide + 1}, {"path": "/etc"}, {"path": "../notes"}, {"path": "a/%2e%2E/b"}, {"path": "a%2f..%2fb"}, {"path": `\\host`}, {"path": "http://example.com/"},
		{"path": "javascript:1"}, {"path": "a b"}, {"path": "a\nb"}, {"path": "./a"}, {"path": strings.Repeat("a", maxShotPath+1)},
	} {
		if a := call("canvas.screenshot", bad); a.Code != "invalid" {
			t.Errorf("%v: %s", bad, a)
		}
	}
	if a := call("canvas.screenshot", m{"project": "nobody"}); a.Code != "not_found" {
		t.Errorf("no project: %s", a)
	}
	failure = errors.New("chromium: /tmp/secret/place is gone")
	if a := call("canvas.screenshot", nil); a.Code != "unavailable" || strings.Contains(a.String(), "secret") {
		t.Errorf("a failure: %s", a)
	}
	failure = &host.Error{Code: host.Exhausted, Message: "One picture a second."}
	if a := call("canvas.screenshot", nil); a.Code != "exhausted" || !strings.Contains(a.String(), "One picture a second") {
		t.Errorf("the program's own refusal: %s", a)
	}
	png, failure = make([]byte, maxShotBytes+1), nil
	if a := call("canvas.screenshot", nil); a.Code != "exhausted" {
		t.Errorf("a large one: %s", a)
	}
	_, call = withAgent(t, Options{})
	if a := call("canvas.screenshot", nil); len(a.OK) > 0 {
		t.Errorf("without a function for it: %s", a)
	}
}
