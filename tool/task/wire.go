package task

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

//go:embed report.schema.json
var reportSchema []byte

// ReportSchema returns the JSON Schema of what [Run.JSON] returns.
func ReportSchema() json.RawMessage { return slices.Clone(reportSchema) }

// reportVersion is the version of reports. A field may be added to it, none changed.
const reportVersion = 1

// The report as JSON. report.schema.json describes it.
type (
	wireRun struct {
		Version    int                     `json:"version"`
		ID         string                  `json:"id"`
		Task       string                  `json:"task"`
		Policy     Policy                  `json:"policy"`
		Backend    string                  `json:"backend"`
		Resumed    string                  `json:"resumed,omitempty"`
		Status     Status                  `json:"status"`
		Error      string                  `json:"error"`
		Started    time.Time               `json:"started"`
		DurationMs float64                 `json:"durationMs"`
		Stages     []wireStage             `json:"stages"`
		Changes    []wireChange            `json:"changes"`
		Promoted   []string                `json:"promoted"`
		Merged     []string                `json:"merged"`
		Skipped    []string                `json:"skipped"`
		Output     json.RawMessage         `json:"output"`
		Artifacts  map[string]wireArtifact `json:"artifacts"`
	}
	wireStage struct {
		Name       string            `json:"name"`
		Started    time.Time         `json:"started"`
		DurationMs float64           `json:"durationMs"`
		Error      string            `json:"error"`
		Commands   []wireExec        `json:"commands"`
		Changed    []string          `json:"changed"`
		Refused    []wireRefusal     `json:"refused"`
		Artifacts  map[string]string `json:"artifacts"`
	}
	wireExec struct {
		Argv       []string   `json:"argv"`
		Env        []string   `json:"env"`
		Dir        string     `json:"dir"`
		Code       int        `json:"code"`
		Error      string     `json:"error"`
		Stdout     wireOutput `json:"stdout"`
		Stderr     wireOutput `json:"stderr"`
		Started    time.Time  `json:"started"`
		DurationMs float64    `json:"durationMs"`
	}
	wireOutput struct {
		Head string `json:"head"`
		Tail string `json:"tail"`
		Size int64  `json:"size"`
		Hash string `json:"hash"`
	}
	wireRefusal struct {
		Kind   string `json:"kind"`
		What   string `json:"what"`
		Reason string `json:"reason"`
	}
	wireChange struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
		Diff string `json:"diff"`
	}
	wireArtifact struct {
		Hash string `json:"hash"`
		Size int    `json:"size"`
	}
)

// list is never null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// JSON returns the report, version 1, as [ReportSchema] describes it. The contents of artifacts are not in
// it, their hashes are.
func (r *Run) JSON() json.RawMessage {
	w := wireRun{
		Version: reportVersion, ID: r.ID, Task: r.Task, Policy: r.Policy, Backend: r.Backend, Resumed: r.Resumed, Status: r.Status, Error: r.Err,
		Started: r.Started, DurationMs: millis(r.Duration), Stages: []wireStage{}, Changes: []wireChange{},
		Promoted: list(r.Promoted), Merged: list(r.Merged), Skipped: list(r.Skipped), Output: r.Output, Artifacts: map[string]wireArtifact{},
	}
	if len(w.Output) == 0 {
		w.Output = json.RawMessage("null")
	}
	for _, s := range r.Stages {
		ws := wireStage{
			Name: s.Name, Started: s.Started, DurationMs: millis(s.Duration), Error: s.Err, Commands: []wireExec{},
			Changed: list(s.Changed), Refused: []wireRefusal{}, Artifacts: map[string]string{},
		}
		for _, x := range s.Execs {
			ws.Commands = append(ws.Commands, wireExec{
				list(x.Argv), list(x.Env), x.Dir, x.Code, x.Err, wireOutput(x.Stdout), wireOutput(x.Stderr), x.Started.UTC(), millis(x.Duration),
			})
		}
		for _, f := range s.Refused {
			ws.Refused = append(ws.Refused, wireRefusal(f))
		}
		for name, hash := range s.Artifacts {
			ws.Artifacts[name] = hash
		}
		w.Stages = append(w.Stages, ws)
	}
	for _, c := range r.Changes {
		w.Changes = append(w.Changes, wireChange(c))
	}
	for name, hash := range r.Artifacts {
		w.Artifacts[name] = wireArtifact{hash, len(r.Data[hash])}
	}
	data, err := json.Marshal(w)
	if err != nil { // of these types only Output could be no JSON, and was checked
		data = fmt.Appendf(nil, `{"version":%d,"error":%q}`, reportVersion, err)
	}
	return data
}

// ParseRun reads what [Run.JSON] wrote. The contents of artifacts are not there.
func ParseRun(data []byte) (*Run, error) {
	var w wireRun
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("task: a report: %w", err)
	}
	if w.Version != reportVersion {
		return nil, fmt.Errorf("task: a report of version %d; this program reads %d", w.Version, reportVersion)
	}
	r := &Run{
		ID: w.ID, Task: w.Task, Policy: w.Policy, Backend: w.Backend, Resumed: w.Resumed, Status: w.Status, Err: w.Error, Started: w.Started, Duration: fromMillis(w.DurationMs),
		Promoted: w.Promoted, Merged: w.Merged, Skipped: w.Skipped, Output: w.Output, Artifacts: map[string]string{}, Data: map[string][]byte{},
	}
	if bytes.Equal(w.Output, []byte("null")) {
		r.Output = nil
	}
	for _, s := range w.Stages {
		rs := StageReport{Name: s.Name, Started: s.Started, Duration: fromMillis(s.DurationMs), Err: s.Error, Changed: s.Changed, Artifacts: s.Artifacts}
		for _, x := range s.Commands {
			rs.Execs = append(rs.Execs, Exec{x.Argv, x.Env, x.Dir, x.Code, x.Error, Output(x.Stdout), Output(x.Stderr), x.Started, fromMillis(x.DurationMs)})
		}
		for _, f := range s.Refused {
			rs.Refused = append(rs.Refused, Refusal(f))
		}
		r.Stages = append(r.Stages, rs)
	}
	for _, c := range w.Changes {
		r.Changes = append(r.Changes, Change(c))
	}
	for name, a := range w.Artifacts {
		r.Artifacts[name] = a.Hash
	}
	return r, nil
}

func fromMillis(ms float64) time.Duration {
	return time.Duration(math.Round(min(max(ms, 0), 1e12) * float64(time.Millisecond)))
}

// Suggest proposes a timeout for each stage: twice the 95th percentile of what it took in the runs in which it
// held, rounded up to a tenth of a second. Twenty runs or more make that a number to rely on.
func Suggest(runs []*Run) map[string]time.Duration {
	took := map[string][]time.Duration{}
	for _, r := range runs {
		for _, s := range r.Stages {
			if s.Err == "" {
				took[s.Name] = append(took[s.Name], s.Duration)
			}
		}
	}
	proposed := map[string]time.Duration{}
	const step = 100 * time.Millisecond
	for name, all := range took {
		slices.Sort(all)
		p95 := all[(len(all)*95+99)/100-1]
		proposed[name] = max(step, (2*p95+step-1)/step*step)
	}
	return proposed
}
