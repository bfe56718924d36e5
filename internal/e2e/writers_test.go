package e2e

import "testing"

// TestThreeWriters has two windows and an agent change one file at the same time. Nobody loses a line: what fits together is
// merged, and where a person and the agent changed the same one the person is asked.
func TestThreeWriters(t *testing.T) {
	p, mine := roleSite(t)
	mine.api("PUT", "agent", map[string]string{"id": "bot"})
	mine.file("list.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	mine.click("#left-agent", "")
	bot := mine.frameOf("/bot/")
	theirs := p.visit()
	theirs.open(p.page + "?project=notes")
	theirs.click(".trow", "list.txt")
	theirs.until("document.querySelector('.cm-content')?.textContent.includes('seven')")

	hold := `(() => { const real = window.fetch; window.go = null; window.fetch = (u, o) => String(u).includes("/file?name=list.txt") && o?.method == "PUT" && !window.go ? new Promise((yes) => (window.later = () => yes(real(u, o)))) : real(u, o); return true })()`
	eval[bool](mine, hold)
	mine.edit("two", "two by me")
	mine.until("window.later")
	theirs.edit("four", "four by them")
	theirs.until("!document.querySelector('.etab .dirty')")
	if got := bot.call("files.edit", `{"path":"list.txt","edits":[{"find":"six","replace":"six by the agent"}]}`); got != "ok" {
		t.Fatalf("the agent's edit: %s", got)
	}
	eval[bool](mine, "(window.go = true, window.later(), true)")
	const all = "['two by me', 'four by them', 'six by the agent'].every(s => document.querySelector('.cm-content').textContent.includes(s)) && !document.querySelector('.etab .dirty')"
	mine.until(all)
	theirs.until(all)
	if eval[bool](mine, "!!document.querySelector('.conflict')") {
		t.Error("asked about changes that fit together")
	}

	eval[bool](mine, "(window.go = null, window.later = null, true)")
	mine.edit("one", "mine one")
	mine.until("window.later")
	if got := bot.call("files.edit", `{"path":"list.txt","edits":[{"find":"one\n","replace":"the agent's one\n"}]}`); got != "ok" {
		t.Fatalf("the agent's edit: %s", got)
	}
	theirs.edit("seven", "seven by them")
	theirs.until("!document.querySelector('.etab .dirty')")
	eval[bool](mine, "(window.go = true, window.later(), true)")
	mine.until("document.querySelector('.conflict')")
	mine.click(".conflict button", "Merge")
	mine.until("document.querySelector('dialog .merge.three')")
	mine.click("dialog .chips button", "Both")
	mine.click("dialog button", "Save the result")
	for _, b := range []*tab{mine, theirs} {
		b.until(`["mine one", "the agent's one", "two by me", "four by them", "six by the agent", "seven by them"].every(s => document.querySelector('.cm-content').textContent.includes(s))`)
	}
	mine.until("!document.querySelector('.conflict')")
	if got := eval[string](mine, `fetch("api/projects/notes/raw?name=list.txt").then((r) => r.text()).then((t) => t.trim().split("\n").sort().join("|"))`); got != "five|four by them|mine one|seven by them|six by the agent|the agent's one|three|two by me" {
		t.Errorf("the file has the lines %s", got)
	}
	theirs.clean()
}

// TestLateReading is a file that the page reads since somebody else has written it, and whose answer comes only when the page
// has written a newer one: what the person sees is that.
func TestLateReading(t *testing.T) {
	b := launch(t).visit()
	b.create("blank")
	b.file("list.txt", "one\ntwo\nthree\nfour\n")
	eval[bool](b, `(() => {
		const real = window.fetch
		window.fetch = async (u, o) => {
			const r = await real(u, o)
			if (String(u).includes("/file?name=list.txt") && o?.method == "GET" && !window.late) await new Promise((yes) => (window.late = yes))
			return r
		}
		return true
	})()`)
	eval[bool](b, `(async () => {
		const { token } = await (await fetch("api/session")).json()
		return (await fetch("api/projects/blank/file?name=list.txt", { method: "PUT", headers: { "X-Playground-Token": token }, body: JSON.stringify({ text: "one\ntwo\nthree\nfour by them\n", expected: "*" }) })).ok
	})()`)
	b.until("window.late")
	b.edit("two", "two by me")
	const both = "['two by me', 'four by them'].every(s => document.querySelector('.cm-content').textContent.includes(s)) && !document.querySelector('.etab .dirty')"
	b.until(both)
	eval[bool](b, "(late(), new Promise((yes) => setTimeout(yes, 200)).then(() => true))")
	b.until(both)
	if text := eval[string](b, `fetch("api/projects/blank/raw?name=list.txt").then((r) => r.text())`); text != "one\ntwo by me\nthree\nfour by them\n" {
		t.Errorf("the file is %q", text)
	}
}
