package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

// needs loads axe-core into the page, once.
func (p *tab) needs(source string) {
	p.t.Helper()
	if !eval[bool](p, "!!window.axe") {
		eval[bool](p, "(() => { "+source+"\n return true })()")
	}
}

// check reports what axe-core finds on the page, frames of SAMs left out.
func (p *tab) check(source, state string) {
	p.t.Helper()
	p.needs(source)
	found := eval[[]violation](p, `axe.run({exclude: ["iframe"]}, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], iframes: false}).then((r) =>
		r.violations.map((v) => ({ID: v.id, Impact: v.impact, Help: v.help, Where: v.nodes.map((n) => n.target.join(" ") + ": " + n.failureSummary)})))`)
	for _, v := range found {
		p.t.Errorf("%s: %s (%s): %s\n  %s", state, v.ID, v.Impact, v.Help, strings.Join(v.Where, "\n  "))
	}
}
