package e2e

import (
	"strings"
	"testing"
)

// TestAgentScripts is an agent that runs scripts: the person sees what it wants to run, and each file that it wants to write.
func TestAgentScripts(t *testing.T) {
	_, b := roleSite(t)
	b.click("#left-agent", "")
	b.click(".agent .empty button", "Choose a project")
	b.click(".menu button", "bot")
	b.until("document.querySelector('.agent .head')?.textContent.includes('bot') && document.querySelector('.agent .well iframe')")
	f := b.frameOf("/bot/")
	waits := func(words string) {
		t.Helper()
		b.until("document.querySelector('.agent .approve [data-allow]:not(:disabled)') && document.querySelector('.agent .approve').textContent.includes(" + quote(words) + ")")
	}
	const code = `{code: "const s = await rtcAgent.readFile('docs/a.md'); await rtcAgent.writeFile('docs/made.md', s + '!'); return s.length"}`

	f.begin("script.eval", code)
	waits("rtcAgent.readFile('docs/a.md')")
	b.shot("script")
	b.click(".agent .approve [data-allow]", "")
	waits("docs/made.md")
	b.click(".agent .approve [data-allow]", "")
	if got := f.ended(); !strings.Contains(got, `"result":3`) {
		t.Errorf("allowed: %s", got)
	}
	if got := b.api("GET", "projects/notes/file?name=docs%2Fmade.md", nil); !strings.Contains(got, "# A!") {
		t.Errorf("it wrote %s", got)
	}
	b.until("document.querySelector(\".trow[data-path='docs/made.md']\")")

	f.begin("script.eval", code)
	waits("rtcAgent.readFile('docs/a.md')")
	b.click(".agent .approve [data-deny]", "")
	if got := f.ended(); got != "denied" {
		t.Errorf("denied: %s", got)
	}
	if got := f.call("script.eval", `{code: "fetch('https://example.com')"}`); got != "invalid" {
		t.Errorf("a blocked script: %s", got)
	}
}
