package escape

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A column of the page: where probes ran.
type column struct {
	mode  string
	place placement
}

// results are the effects of probes in one browser, by where and by name.
type results map[column]map[string]effect

func (all results) add(r *run) {
	for name, e := range r.outcome() {
		all.set(r.column(), name, max(e, all[r.column()][name]))
	}
}

func (all results) set(c column, name string, e effect) {
	if all[c] == nil {
		all[c] = map[string]effect{}
	}
	all[c][name] = e
}

// column is where a run's results belong. What pages of the program's own origin do is no matter of place.
func (r *run) column() column {
	if r.mode.proof {
		return column{mode: r.mode.name}
	}
	return column{r.mode.name, r.place}
}

func (r *run) outcome() map[string]effect {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]effect{}
	for _, p := range r.probes {
		all[p.name] = r.effects[p.name]
	}
	return all
}

// bites is what a probe has to do in Trusted, to prove that it would be noticed elsewhere, and
// whether it has to do anything there.
func (p *probe) bites(browser string) (effect, bool) {
	switch p.trusted {
	case "any":
		return blocked, false
	case "", browser:
		if p.sends {
			return sends, true
		}
		return escapes, true
	}
	return blocked, true
}

// columns are those of the page's tables.
var columns = []column{
	{"Opaque", framed}, {"Opaque", top}, {"Opaque", confined}, {"Own", framed}, {"Own", top}, {"Own", confined}, {mode: "Trusted"},
}

const tableHead = "| probe | what it does | Opaque, framed | top | confined | Own, framed | top | confined | Trusted |\n|---|---|---|---|---|---|---|---|---|\n"

// words are how effects stand in the tables.
var words = map[effect]string{blocked: "–", visits: "visits", closes: "closes", sends: "sends", escapes: "**escapes**"}

// cell is what a probe did in one place: one word, or one for each browser.
func cell(probe string, c column, all map[string]results) string {
	var texts []string
	same := true
	for _, k := range kinds {
		e, ran := all[k.name][c][probe]
		text := ""
		if ran {
			text = words[e]
		}
		texts = append(texts, text)
		same = same && text == texts[0]
	}
	if same {
		return texts[0]
	}
	for i, k := range kinds {
		if texts[i] == "" {
			texts[i] = "not run"
		}
		texts[i] = k.name + ": " + texts[i]
	}
	return strings.Join(texts, "; ")
}

// readCell is the reverse: the effect in one browser, and whether the probe ran there.
func readCell(text, browser string) (effect, bool) {
	for part := range strings.SplitSeq(text, "; ") {
		if name, word, ok := strings.Cut(part, ": "); ok {
			if name != browser {
				continue
			}
			part = word
		}
		for e, word := range words {
			if part == word {
				return e, true
			}
		}
	}
	return blocked, false
}

// readPage returns what the page says of one browser.
func readPage(page, browser string) results {
	all := results{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != len(columns)+2 {
			continue
		}
		for i, c := range columns {
			if e, ok := readCell(strings.TrimSpace(cells[i+2]), browser); ok {
				all.set(c, strings.TrimSpace(cells[0]), e)
			}
		}
	}
	return all
}

// writePage makes the page of what the probes did in each browser.
func writePage(probes []*probe, all map[string]results, versions map[string]string) string {
	var b strings.Builder
	count := 0
	for _, c := range columns[:6] {
		count += len(all[kinds[0].name][c])
	}
	fmt.Fprintf(&b, pageHead, versions[kinds[0].name]+" and "+versions[kinds[1].name], len(probes), count)
	area := ""
	for _, p := range probes {
		if p.area != area {
			area = p.area
			title, more, found := strings.Cut(strings.TrimSuffix(area, "."), ": ")
			fmt.Fprintf(&b, "\n### %s\n\n", title)
			if found {
				fmt.Fprintf(&b, "%s%s.\n\n", strings.ToUpper(more[:1]), more[1:])
			}
			b.WriteString(tableHead)
		}
		fmt.Fprintf(&b, "| %s | %s |", p.name, p.what)
		for _, c := range columns {
			fmt.Fprintf(&b, " %s |", cell(p.name, c, all))
		}
		b.WriteString("\n")
	}
	return strings.Replace(b.String(), "LEAVING\n", stillLeaves(probes, all), 1)
}

// versionIn is the version of a browser that the page is of.
func (k kind) versionIn(page string) string {
	return regexp.MustCompile(k.page + `/[0-9.]+[a-z]*`).FindString(page)
}

// stillLeaves lists what pages can still do to send something away, by place.
func stillLeaves(probes []*probe, all map[string]results) string {
	var b strings.Builder
	for _, c := range []struct {
		column
		title string
	}{
		{column{"Opaque", top}, "`Opaque`, in a tab"}, {column{"Opaque", framed}, "`Opaque`, in a frame of a page without a policy"},
		{column{"Opaque", confined}, "`Opaque`, in a frame of a page with `frame-src`"},
		{column{"Own", top}, "`Own`, in a tab"}, {column{"Own", framed}, "`Own`, in a frame of a page without a policy"},
		{column{"Own", confined}, "`Own`, in a frame of a page with `frame-src`"},
	} {
		var ways []string
		for _, p := range probes {
			where := []string{}
			for _, k := range kinds {
				if all[k.name][c.column][p.name] == sends {
					where = append(where, k.name)
				}
			}
			if len(where) == 0 {
				continue
			}
			way := strings.TrimPrefix(p.name, "leave by ")
			if len(where) < len(kinds) {
				way += " (" + where[0] + ")"
			}
			ways = append(ways, way)
		}
		if !slices.Contains(ways, "") && len(ways) == 0 {
			ways = []string{"nothing that was tried"}
		}
		fmt.Fprintf(&b, "- %s: %s.\n", c.title, strings.Join(ways, ", "))
	}
	return b.String()
}

const pageHead = `# Isolation of pages

What pages of an app tried in %s to get out of their origin, and what came of it: %d probes, %d
results in the two modes that are a boundary. The page is written by ` + "`go test -update`" + ` in internal/escape, whose test runs the
probes and fails when one escapes, or does anything else than stands here.

The program in which they run has its log-in in a ` + "`__Host-`" + ` cookie (SameSite=Lax), an API that
[http.CrossOriginProtection](https://pkg.go.dev/net/http#CrossOriginProtection) guards, pages with ` + "`frame-ancestors 'self'`" + `, and secrets in its cookies,
localStorage, sessionStorage, IndexedDB, Cache API, private files, a shared worker, a channel and locks. Each run has a log-in and secrets of its own. A probe *escapes* if a secret
arrives at the attacker, if a request acts or reads with the visitor's cookie, if the program's cookies, storage, workers or page are others afterwards, or if
it has a power that was granted to the program. It *sends* if it told another server something. It *visits* if a navigation reached the program with the
visitor's cookie, as a link on any site does, and nothing came of it: a program must not act on GET. It *closes* if the program's tab was closed. Otherwise, "–", nothing happened.

` + "`Opaque`" + ` is below a path of the program's own host; ` + "`Own`" + ` is on another registered domain. *Framed* is in a frame of a page of the program that has no policy, *top* is in a tab,
*confined* in a frame of a page of the program that has ` + "`frame-src`" + ` with the apps' prefix (under Own, their domain). ` + "`Trusted`" + ` is the program's own origin and no boundary: it is
here to show that a probe can bite. A probe with "–" there asks for what the policy of every mode forbids, or for what that origin has anyway.

## What is not promised

A page can still send away what it knows itself:

LEAVING

The framing page's ` + "`frame-src`" + ` is what stops a frame from going elsewhere. Names of hosts are not seen here, since the browsers ask a proxy and no name
server: count DNS prefetch (` + "`<link rel=dns-prefetch>`" + `) as open in every place, and in a tab
preconnect and, in Chromium, speculation rules, which work without a proxy.

In Firefox a framed page can close a tab that has shown nothing before the program's page: no header keeps it from that.

A page in a tab can show any path of its own host in the address bar (` + "`history.pushState`" + `), which under Opaque is the program's. A program page that
is left by a link gives its URL in ` + "`document.referrer`" + ` unless it has a Referrer-Policy; the frames here have ` + "`referrerpolicy=\"no-referrer\"`" + `.

## Probes
`
