package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// axe returns the source of axe-core, which is a development dependency of the page.
func axe(t *testing.T) string {
	t.Helper()
	const ui = "../../canvas/playground/ui"
	path := filepath.Join(ui, "node_modules/axe-core/axe.min.js")
	if _, err := os.Stat(path); err != nil {
		if _, err := exec.LookPath("npm"); err != nil {
			const why = "no npm found to install axe-core"
			if os.Getenv("CI") != "" {
				t.Fatal(why)
			}
			t.Skip(why)
		}
		cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		cmd.Dir = ui
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violation is a finding of axe-core.
type violation struct {
	ID, Impact, Help string
	Where            []string
}

// check reports what axe-core finds on the page, frames of SAMs left out.
func (p *tab) check(source, state string) {
	p.t.Helper()
	eval[bool](p, "(() => { if (!window.axe) { "+source+"\n } return true })()")
	found := eval[[]violation](p, `axe.run({exclude: ["iframe"]}, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], iframes: false}).then((r) =>
		r.violations.map((v) => ({ID: v.id, Impact: v.impact, Help: v.help, Where: v.nodes.map((n) => n.target.join(" ") + ": " + n.failureSummary)})))`)
	for _, v := range found {
		p.t.Errorf("%s: %s (%s): %s\n  %s", state, v.ID, v.Impact, v.Help, strings.Join(v.Where, "\n  "))
	}
}

// TestAccessibility has axe-core look at every state of the page, in both themes.
func TestAccessibility(t *testing.T) {
	source := axe(t)
	b := launch(t).visit()
	for _, theme := range []string{"light", "dark"} {
		if eval[string](b, "document.documentElement.dataset.theme") != theme {
			b.click("[aria-label*='theme']", "")
			time.Sleep(100 * time.Millisecond)
		}
		state := func(name string) { b.check(source, fmt.Sprintf("%s, %s", name, theme)) }
		if eval[bool](b, "!document.querySelector('.gallery')") {
			b.click("button", "Templates")
		}
		b.until("document.querySelector('.tpl')")
		state("gallery")
		b.create("notes")
		b.until("document.querySelectorAll('.log li').length > 1")
		state("bench")
		b.click(".trow", "main.js")
		b.until("document.querySelector('.etab[data-selected=true]').textContent.includes('main.js')")
		b.edit("notes.replaceChildren", "console.warn('careful'); null.x; notes.replaceChildren")
		b.until("document.querySelector('.log .e') && document.querySelector('.log .w')")
		state("errors")
		b.click(".project", "")
		b.until("document.querySelector('.menu')")
		state("menu")
		b.keys("\x1b")
		b.keys("p", ctrl)
		b.until("document.querySelector('.palette')")
		state("palette")
		b.keys("\x1b")
		b.click("[aria-label='New file']", "")
		b.until("document.querySelector('.naming-row input')")
		state("naming")
		b.keys("\x1b")
		b.click(".trow", "schema.js")
		b.click(".trow[data-path='lib/schema.js'] .more", "")
		b.click(".menu button", "Delete")
		b.until("document.querySelector('.toast')")
		state("toast")
		b.size(390, 844)
		for _, area := range []string{"Files", "Editor", "Canvas", "Panel"} {
			b.click(".switcher button", area)
			state("narrow " + area)
		}
		b.size(1440, 900)
	}
}
