package task

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"took":  func(d time.Duration) string { return d.Round(time.Millisecond).String() },
	"plain": plainText,
	"words": func(argv []string) string { return fmt.Sprintf("%q", argv) },
	"sides": sides,
}).Parse(pageText))

// HTML writes the report as one page that needs no other file: a time line, the stages with their commands and
// refusals, the changes side by side, the artifacts. It runs no script and loads nothing.
func (r *Run) HTML(w io.Writer) error {
	type bar struct {
		Name, Title string
		Bad         bool
		Left, Width float64 // in percent
	}
	type artifact struct {
		Name, Hash, Text string
		Size             int
	}
	v := struct {
		*Run
		Bars      []bar
		Artifacts []artifact
		Policy    string
	}{Run: r, Policy: policyText(r.Policy)}
	share := func(d time.Duration) float64 {
		return min(max(100*float64(d)/max(float64(r.Duration), 1), 0), 100)
	}
	for _, s := range r.Stages {
		left := min(share(s.Started.Sub(r.Started)), 99.5)
		title := s.Name + ", " + s.Duration.Round(time.Millisecond).String()
		v.Bars = append(v.Bars, bar{s.Name, title, s.Err != "", left, max(min(share(s.Duration), 100-left), 0.5)})
	}
	for _, name := range r.ArtifactNames() {
		data := r.Artifact(name)
		a := artifact{Name: name, Hash: r.Artifacts[name], Size: len(data)}
		if name != PatchArtifact && isText(data) { // the patch is shown as changes
			a.Text = plainText(string(data[:min(len(data), 64<<10)]))
		}
		v.Artifacts = append(v.Artifacts, a)
	}
	return page.Execute(w, v)
}

func policyText(p Policy) string {
	var b strings.Builder
	row := func(name string, values []string) {
		if len(values) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(values, ", "))
		}
	}
	var commands []string
	for _, c := range p.Commands {
		commands = append(commands, fmt.Sprintf("%q", c))
	}
	row("writable", p.Writable)
	row("deny", p.Deny)
	row("commands", commands)
	row("network", p.Network)
	row("timeout", []string{p.timeout().String()})
	return b.String()
}

// control matches what terminals take for commands, and other invisible characters.
var control = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

func plainText(s string) string { return control.ReplaceAllString(s, "") }

// A pair is a row of a change side by side.
type pair struct {
	Head               string // of a hunk, or what a patch says in words; else "" and:
	OldNo, NewNo       int    // 0 for none
	Old, New           string
	OldClass, NewClass string // "del", "add" or ""
}

// maxRows bounds the rows of a change on a page.
const maxRows = 5000

// sides reads a unified patch.
func sides(diff string) []pair {
	var rows []pair
	var dels, adds []string
	old, now := 0, 0
	flush := func() {
		for i := range max(len(dels), len(adds)) {
			var p pair
			if i < len(dels) {
				old++
				p.OldNo, p.Old, p.OldClass = old, dels[i], "del"
			}
			if i < len(adds) {
				now++
				p.NewNo, p.New, p.NewClass = now, adds[i], "add"
			}
			rows = append(rows, p)
		}
		dels, adds = nil, nil
	}
	inside := false
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if len(rows)+max(len(dels), len(adds)) > maxRows {
			flush()
			return append(slices.Clip(rows[:maxRows]), pair{Head: "the rest is in " + PatchArtifact})
		}
		switch {
		case strings.HasPrefix(line, "@@"):
			flush()
			inside = true
			var a, n, b, m int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &a, &n, &b, &m); err == nil {
				old, now = a, b
				if n > 0 {
					old--
				}
				if m > 0 {
					now--
				}
			}
			rows = append(rows, pair{Head: line})
		case !inside:
			if !strings.HasPrefix(line, "diff ") && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") {
				rows = append(rows, pair{Head: line})
			}
		case strings.HasPrefix(line, "-"):
			if len(adds) > 0 {
				flush()
			}
			dels = append(dels, line[1:])
		case strings.HasPrefix(line, "+"):
			adds = append(adds, line[1:])
		case strings.HasPrefix(line, `\`):
			flush()
			rows = append(rows, pair{Head: strings.TrimPrefix(line, `\ `)})
		default:
			flush()
			old, now = old+1, now+1
			text := strings.TrimPrefix(line, " ")
			rows = append(rows, pair{OldNo: old, NewNo: now, Old: text, New: text})
		}
	}
	flush()
	return rows
}
