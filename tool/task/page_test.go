package task_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"samkit.dev/tool/task"
)

// Whatever a run holds, its page has the elements of the template alone, no script and nothing to load.
func TestPage(t *testing.T) {
	runs := hostileRuns(t)
	again, err := task.ParseRun(runs[0].JSON())
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range append(runs, again) {
		var page bytes.Buffer
		if err := run.HTML(&page); err != nil {
			t.Fatal(err)
		}
		doc, err := html.Parse(bytes.NewReader(page.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		var text strings.Builder
		for n := range doc.Descendants() {
			switch n.Type {
			case html.TextNode:
				text.WriteString(n.Data)
			case html.ElementNode:
				count[n.Data]++
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" {
						t.Errorf("the page has %s=%q", a.Key, a.Val)
					}
				}
			}
		}
		for _, e := range []string{"script", "img", "b", "iframe", "link"} {
			if count[e] > 0 {
				t.Errorf("the page has an element %s", e)
			}
		}
		if i == 1 {
			continue // the empty one
		}
		for _, want := range []string{"alert(1)", "alert(2)", "all: failed", "command [\"rm\"", "is denied", "red & \"quotes\"", "Binary files", "TOKEN=…"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("page %d has no %q", i, want)
			}
		}
		if strings.ContainsAny(text.String(), "\x1b\x00") || strings.Contains(text.String(), "hunter2") {
			t.Error("the page has control characters or a secret")
		}
		if strings.Contains(page.String(), "ZgotmplZ") {
			t.Error("the template was refused a value")
		}
		if count["table"] != 4 || count["td"] < 20 {
			t.Errorf("page %d: %d tables, %d cells", i, count["table"], count["td"])
		}
	}
}
