package task

import (
	"encoding/json"
	"errors"
	"time"
)

// Errors that a run ends with, beside those of its stages.
var (
	ErrIncomplete = errors.New("task: a declared artifact is missing")
	ErrConflict   = errors.New("task: the ground has changed meanwhile")
	ErrRefused    = errors.New("task: refused by the policy")
)

// A Status is how a run ended.
type Status string

// The statuses. After all but Succeeded the ground is as it was, unless RunOptions.Partial is set.
const (
	Succeeded  Status = "succeeded"
	Failed     Status = "failed"
	Incomplete Status = "incomplete" // a declared artifact is missing
	Conflicted Status = "conflict"   // the ground was changed by others where the task changed it
	Canceled   Status = "canceled"
)

// A Run is what happened.
type Run struct {
	ID       string // of the sandbox too; in every event and command
	Task     string
	Policy   Policy
	Backend  string // "" if there was none
	Resumed  string // the run that this one goes on with, or ""
	Status   Status
	Err      string // "" if it succeeded
	Started  time.Time
	Duration time.Duration
	Stages   []StageReport
	Changes  []Change        // from the beginning to the end, or to what the stage that failed had made; promoted or not
	Skipped  []string        // files of the ground that no task sees, as their names can't be compared with a policy
	Promoted []string        // files that were written to the ground
	Merged   []string        // those of them in which changes of others were kept
	Output   json.RawMessage // of the last stage; nil if there is none

	Artifacts map[string]string // of all stages and PatchArtifact: name to SHA-256 of the contents
	Data      map[string][]byte // the contents of artifacts by hash
}

// A StageReport is one stage of a run. Those that were not reached have none.
type StageReport struct {
	Name      string
	Started   time.Time
	Duration  time.Duration
	Err       string   // "" if it held
	Execs     []Exec   // in their order
	Changed   []string // files, compared with the moment it began
	Refused   []Refusal
	Artifacts map[string]string // name to SHA-256 of the contents, see Run.Data
}

// A Refusal is something that a task tried and may not do: for people a hint what
// the agent is after, for the agent what to do without.
type Refusal struct {
	Kind   string // "write", "read", "command" or "network"
	What   string // the file, the command or "host:port"
	Reason string // follows What in a sentence: "is not writable"
}

func (r Refusal) String() string { return r.Kind + " " + r.What + ": " + r.Reason }

// An Exec is a command that ran.
type Exec struct {
	Argv           []string
	Env            []string // "NAME=…": values may be secrets and are left out
	Dir            string
	Code           int
	Err            string // why it could not be run, or ""
	Stdout, Stderr Output
	Started        time.Time
	Duration       time.Duration
}

// An Output is what a command wrote to a stream.
type Output struct {
	Head, Tail string // its first and last bytes, 16 KiB each at most; Tail is "" if Head is all
	Size       int64  // in bytes, of the whole
	Hash       string // SHA-256 of the whole
}

// A Change is a file that differs between the beginning and the end of a run.
type Change struct {
	Name string
	Kind string // "added", "changed" or "removed"
	Diff string // a unified patch
}

// An Event is something that happens in a run.
type Event struct {
	Run, Task, Stage string
	Kind             string // "start", "stage", "stage-end", "exec", "exec-end", "refused", "artifact", "log", "end"
	Text             string // for people
	Time             time.Time
}
