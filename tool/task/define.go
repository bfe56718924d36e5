package task

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A Task is stages under a policy. It is immutable and safe for concurrent use.
type Task[In, Out any] struct {
	task *plan
}

// A plan is a task without its types.
type plan struct {
	name   string
	about  string
	policy Policy
	rules  *rules
	steps  []planned
}

// A planned step is one as the policy has it.
type planned struct {
	*step
	writes  []tool.Pattern
	timeout time.Duration
}

// A PolicyError reports a stage that wants what its task's policy does not permit.
type PolicyError struct {
	Task, Stage string
	Path        string // the pattern of StageOptions.Writes
	Deny        string // the pattern of the policy that denies it, or "" if none permits it
}

func (e *PolicyError) Error() string {
	why := "which the policy does not permit"
	if e.Deny != "" {
		why = fmt.Sprintf("which the policy denies by %q", e.Deny)
	}
	return fmt.Sprintf("task: %s: stage %s writes %q, %s", e.Task, e.Stage, e.Path, why)
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// PatchArtifact is the name of the artifact that every run has: its whole change as a unified patch.
const PatchArtifact = "changes.patch"

// Define checks stages against a policy, and the policy itself. Its error tells all that is wrong; a stage
// that declares to write what the policy does not permit is a [*PolicyError]. A
// declared pattern must lie within one of the policy's as a whole.
func Define[In, Out any](name string, p Policy, s Stage[In, Out]) (*Task[In, Out], error) {
	t, err := newPlan(name, p, s.steps)
	if err != nil {
		return nil, err
	}
	return &Task[In, Out]{t}, nil
}

// Name returns the task's name.
func (t *Task[In, Out]) Name() string { return t.task.name }

// Describe returns the task with a description for people.
func (t *Task[In, Out]) Describe(text string) *Task[In, Out] {
	p := *t.task
	p.about = text
	return &Task[In, Out]{&p}
}

// Description returns the task's description, or "".
func (t *Task[In, Out]) Description() string { return t.task.about }

// A StageInfo is what a task declares of a stage.
type StageInfo struct {
	Name      string
	Writes    []string // patterns: those of the policy if the stage declares none
	Artifacts []string
	Timeout   time.Duration
}

// Stages returns the task's stages in their order.
func (t *Task[In, Out]) Stages() []StageInfo {
	var all []StageInfo
	for _, s := range t.task.steps {
		info := StageInfo{Name: s.name, Artifacts: slices.Clone(s.opts.Artifacts), Timeout: s.timeout}
		for _, p := range s.writes {
			info.Writes = append(info.Writes, p.String())
		}
		all = append(all, info)
	}
	return all
}

// Policy returns the task's policy, which the caller may keep but not change.
func (t *Task[In, Out]) Policy() Policy { return t.task.policy }

func newPlan(name string, p Policy, steps []*step) (*plan, error) {
	t := &plan{name: name, policy: p}
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("task: %s: "+format, append([]any{name}, args...)...))
	}
	if !goodName.MatchString(name) {
		wrong("the name is not letters, digits, and - _ . after the first")
	}
	var err error
	if t.rules, err = p.rules(); err != nil {
		wrong("policy: %w", err)
	}
	if len(steps) == 0 {
		wrong("there are no stages")
	}
	seen, artifacts := map[string]bool{}, map[string]bool{PatchArtifact: true}
	for _, s := range steps {
		switch {
		case !goodName.MatchString(s.name):
			wrong("stage %q: the name is not letters, digits, and - _ . after the first", s.name)
		case seen[s.name]:
			wrong("there are two stages %q", s.name)
		case s.opts.Timeout < 0:
			wrong("stage %s: the timeout is %v", s.name, s.opts.Timeout)
		case s.in.err != nil:
			wrong("stage %s: input: %w", s.name, s.in.err)
		case s.out.err != nil:
			wrong("stage %s: output: %w", s.name, s.out.err)
		}
		seen[s.name] = true
		for _, a := range s.opts.Artifacts {
			switch {
			case !goodName.MatchString(a):
				wrong("stage %s: the artifact's name %q is not letters, digits, and - _ . after the first", s.name, a)
			case artifacts[a]:
				wrong("stage %s: the artifact %q is made elsewhere", s.name, a)
			}
			artifacts[a] = true
		}
		at := planned{step: s, writes: t.rules.writable, timeout: s.opts.Timeout}
		if at.timeout == 0 {
			at.timeout = p.timeout()
		}
		if s.opts.Writes != nil {
			at.writes = nil
			for _, text := range s.opts.Writes {
				pat, err := t.declared(s.name, text)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				at.writes = append(at.writes, pat)
			}
		}
		t.steps = append(t.steps, at)
	}
	return t, errors.Join(errs...)
}

// declared reads a pattern that a stage declares to write.
func (t *plan) declared(stage, text string) (tool.Pattern, error) {
	p, err := tool.ParsePattern(text)
	if err != nil {
		return p, fmt.Errorf("task: %s: stage %s: writes: %w", t.name, stage, err)
	}
	folded, err := tool.ParsePattern(sam.FoldName(text))
	if err != nil {
		return p, fmt.Errorf("task: %s: stage %s: writes: %w", t.name, stage, err)
	}
	for i, d := range t.rules.deny {
		if d.Covers(p) || t.rules.folded[i].Covers(folded) {
			return p, &PolicyError{t.name, stage, text, d.String()}
		}
	}
	guarded := guard(text)
	if !slices.ContainsFunc(t.rules.writable, func(w tool.Pattern) bool {
		return w.Covers(p) && (guarded == nil || guarded(w.String()))
	}) {
		return p, &PolicyError{t.name, stage, text, ""}
	}
	return p, nil
}
