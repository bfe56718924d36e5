package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"samkit.dev/internal/conformance/peer"
)

// pagePath is the page that is written, and committed.
const pagePath = "../../docs/conformance.md"

// areaTitles are what the areas are called on the page, in order.
var areaTitles = []struct{ area, title string }{
	{"kv", "KV"}, {"d1", "D1"}, {"web", "Web APIs, the language"}, {"handlers", "handlers"}, {moduleArea, "modules"},
}

// page is the text of docs/conformance.md. It holds nothing that depends on the machine.
func page(all []outcome, found, known []difference, tests []share) (string, error) {
	miniflare, workerd, err := versions()
	if err != nil {
		return "", err
	}
	reasons := map[string]string{}
	for _, d := range known {
		reasons[d.Probe] = d.Reason
	}
	probes, differ := map[string]int{}, map[string]int{}
	for _, o := range all {
		probes[area(o.probe)]++
	}
	for _, d := range found {
		differ[area(d.Probe)]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Conformance

What samkit does beside what Workers does: small programs, the probes, run in samkit and in workerd %s with
Miniflare %s (compatibility date %s), and what they see is compared word for word. Times, ids
and stacks are left out. The page is written by `+"`go run .`"+` in internal/conformance; its test fails when a
difference is not listed here, and when one that is listed has gone.

| area | probes | equal | different |
|---|---:|---:|---:|
`, workerd, miniflare, peer.Date)
	for _, t := range areaTitles {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", t.title, probes[t.area], probes[t.area]-differ[t.area], differ[t.area])
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d |\n\n## Differences\n\n| probe | why it is left so |\n|---|---|\n", len(all), len(all)-len(found), len(found))
	for _, d := range found {
		fmt.Fprintf(&b, "| %s | %s |\n", d.Probe, reasons[d.Probe])
	}
	b.WriteString(`
Where workerd departs from a standard in a way that no code can want, such as an event's detail that is undefined
or a status that crashes it, there is no probe. What workerd does that production does not, and the other way
round, was not looked at, but for what the reasons above say.
`)
	b.WriteString(sharesTable(tests))
	return b.String(), nil
}

func area(probe string) string {
	area, _, _ := strings.Cut(probe, "/")
	return area
}

// versions are those of the lock file.
func versions() (miniflare, workerd string, err error) {
	data, err := os.ReadFile("js/package-lock.json")
	if err != nil {
		return "", "", err
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return "", "", fmt.Errorf("js/package-lock.json: %w", err)
	}
	miniflare, workerd = lock.Packages["node_modules/miniflare"].Version, lock.Packages["node_modules/workerd"].Version
	if miniflare == "" || workerd == "" {
		return "", "", fmt.Errorf("js/package-lock.json names no miniflare or no workerd")
	}
	return miniflare, workerd, nil
}
