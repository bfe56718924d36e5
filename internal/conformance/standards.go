package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"samkit.dev/internal/conformance/peer"
	"samkit.dev/internal/standards"
)

// A share is how many tests of an area of the standards pass in each runtime.
type share struct {
	area                   string
	tests, samkit, workerd int
}

// shares runs the tests of internal/standards in both.
func shares(ctx context.Context, both *peer.Both) ([]share, error) {
	areas, err := standards.Areas()
	if err != nil {
		return nil, err
	}
	var all []share
	for _, a := range areas {
		s, w, err := both.Ask(ctx, peer.Worker{Name: a.Name, Files: a.Files, Entry: standards.Entry}, "/?patience=1000")
		if err != nil {
			return nil, fmt.Errorf("standards, %s: %w", a.Name, err)
		}
		one := share{area: a.Name}
		if one.samkit, one.tests, err = passed(s); err != nil {
			return nil, fmt.Errorf("standards, %s in samkit: %w", a.Name, err)
		}
		n := 0
		if one.workerd, n, err = passed(w); err != nil {
			return nil, fmt.Errorf("standards, %s in workerd: %w", a.Name, err)
		}
		if n != one.tests {
			return nil, fmt.Errorf("standards, %s: %d tests in samkit and %d in workerd", a.Name, one.tests, n)
		}
		all = append(all, one)
	}
	return all, nil
}

func passed(a peer.Answer) (passed, tests int, err error) {
	var results []standards.Result
	if err := json.Unmarshal(a.Body, &results); err != nil {
		return 0, 0, fmt.Errorf("%.300s: %w", a.String(), err)
	}
	for _, r := range results {
		if r.OK {
			passed++
		}
	}
	return passed, len(results), nil
}

// sharesTable is the section of the page.
func sharesTable(all []share) string {
	var b strings.Builder
	b.WriteString("\n## Standards\n\nThe tests of internal/standards follow the specifications, area by area, and run in both:\n\n" +
		"| area | tests | samkit passes | workerd passes |\n|---|---:|---:|---:|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| %s | %d | %d%% | %d%% |\n", s.area, s.tests, 100*s.samkit/max(s.tests, 1), 100*s.workerd/max(s.tests, 1))
	}
	return b.String()
}
