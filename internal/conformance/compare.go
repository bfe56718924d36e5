package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// A difference is a probe whose outcomes differ, and why that is left so.
type difference struct {
	Probe   string `json:"probe"`
	Reason  string `json:"reason"`
	Samkit  string `json:"-"`
	Workerd string `json:"-"`
}

// maxDifferences is how many may be left.
const maxDifferences = 10

// accepted reads the differences that have a reason.
func accepted() ([]difference, error) {
	data, err := os.ReadFile("differences.json")
	if err != nil {
		return nil, err
	}
	var list []difference
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("differences.json: %w", err)
	}
	for _, d := range list {
		if d.Probe == "" || d.Reason == "" {
			return nil, fmt.Errorf("differences.json: %+v: a probe and a reason are needed", d)
		}
	}
	return list, nil
}

// compare returns the probes whose outcomes differ, in order.
func compare(samkit, workerd []outcome) ([]difference, error) {
	have := map[string]string{}
	for _, o := range samkit {
		have[o.probe] = o.saw
	}
	var all []difference
	for _, o := range workerd {
		saw, ok := have[o.probe]
		if !ok {
			return nil, fmt.Errorf("%s ran in workerd only", o.probe)
		}
		if saw != o.saw {
			all = append(all, difference{Probe: o.probe, Samkit: saw, Workerd: o.saw})
		}
		delete(have, o.probe)
	}
	if len(have) > 0 {
		return nil, fmt.Errorf("in samkit only, or twice in workerd: %s", strings.Join(sorted(have), ", "))
	}
	return all, nil
}

// unexpected returns an error of all that differs without a reason, of what has a
// reason and does not differ, and of too much of both.
func unexpected(found, known []difference) error {
	listed := map[string]bool{}
	for _, d := range known {
		if listed[d.Probe] {
			return fmt.Errorf("differences.json lists %s twice", d.Probe)
		}
		listed[d.Probe] = true
	}
	var errs []error
	for _, d := range found {
		if !listed[d.Probe] {
			errs = append(errs, fmt.Errorf("%s differs and is not in differences.json\n  samkit  %.2000s\n  workerd %.2000s", d.Probe, d.Samkit, d.Workerd))
		}
		delete(listed, d.Probe)
	}
	for _, probe := range sorted(listed) {
		errs = append(errs, fmt.Errorf("%s is in differences.json and does not differ", probe))
	}
	if len(known) > maxDifferences {
		errs = append(errs, fmt.Errorf("differences.json lists %d, and at most %d are accepted", len(known), maxDifferences))
	}
	return errors.Join(errs...)
}
