package workbench

import (
	"context"
	"encoding/json"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// How long tasks.run and tasks.status wait.
const (
	defaultTaskWait = 20 * time.Second
	maxTaskWait     = 60 * time.Second
)

// defineTasks registers env.HOST.tasks.
func defineTasks(b *Bench, c *host.Capability) {
	if b.opts.Tasks == nil {
		return
	}
	host.Register(c, "list", "Lists the definitions of tasks in a project: tasks/*.ts, tasks/*.js, *.task.ts and *.task.json.", listTasks, host.Reads)
	host.Register(c, "get", "Says what a definition is: its policy, what is suspicious in it, and its stages.", getTask, host.Reads)
	host.Register(c, "run", "Runs a task on a copy of a project's files, and writes what it changed if all its stages held: the definition in a file, or a source. It returns when the run has ended, or still runs after waitMs.", runTaskOfAgent)
	host.Register(c, "runs", "Lists the runs of tasks, the newest first.", listTaskRuns, host.Reads)
	host.Register(c, "status", "Waits for the end of a run, or for something to happen in it after an event, and returns both.", taskStatus, host.Reads)
	host.Register(c, "cancel", "Ends a run that an agent has started.", cancelTask)
	host.Register(c, "report", "Returns the report of a run that has ended: its stages with their commands, what was changed and what was refused.", taskReportOf, host.Reads)
	host.Register(c, "kept", "Lists what runs have left that did not succeed.", keptTasks, host.Reads)
	host.Register(c, "open", "Makes a project of the files that a failed run has left.", openKeptTask)
	host.Register(c, "resume", "Goes on with a failed run from a stage, on the files that it has left, or those of a project in which they were mended. The definition is read again.", resumeTaskOfAgent)
	host.Register(c, "discard", "Removes what a failed run has left.", discardKeptTask)
}

// taskCall is what comes first in functions that act for a project.
func taskCall(ctx context.Context, id sam.ProjectID) (*session, *sam.Project, error) {
	s, p, err := onProject(ctx, id)
	if err == nil && s.role != host.Agent {
		err = &host.Error{Code: host.Denied, Message: "A tool runs no tasks."}
	}
	return s, p, err
}

type tasksIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
}

type taskFile struct {
	Path string `json:"path"`
	Lang string `json:"lang" jsonschema:"json, js or ts"`
}

type listTasksOut struct {
	Tasks []taskFile `json:"tasks"`
}

func listTasks(ctx context.Context, in tasksIn) (listTasksOut, error) {
	out := listTasksOut{Tasks: []taskFile{}}
	s, p, err := taskCall(ctx, in.Project)
	if err != nil {
		return out, err
	}
	files, err := s.b.TaskFiles(ctx, p.ID())
	for _, f := range files {
		out.Tasks = append(out.Tasks, taskFile(f))
	}
	return out, toHost(err)
}

type getTaskIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Path    string        `json:"path,omitempty"`
	Source  string        `json:"source,omitempty" jsonschema:"a definition that is no file"`
	Lang    string        `json:"lang,omitempty" jsonschema:"of the source: json, js or ts; ts if left out"`
}

func (in getTaskIn) start(p *sam.Project) TaskStart {
	if in.Lang == "" {
		in.Lang = "ts"
	}
	return TaskStart{Project: p.ID(), Path: in.Path, Source: in.Source, Lang: in.Lang}
}

type taskPolicy struct {
	Writable []string   `json:"writable"`
	Deny     []string   `json:"deny"`
	Commands [][]string `json:"commands"`
	Network  []string   `json:"network"`
	Timeout  int64      `json:"timeoutMs"`
}

type taskStage struct {
	Name      string   `json:"name"`
	Writes    []string `json:"writes"`
	Artifacts []string `json:"artifacts"`
	Timeout   int64    `json:"timeoutMs"`
}

type getTaskOut struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Policy      taskPolicy  `json:"policy"`
	Warnings    []string    `json:"warnings" jsonschema:"what is suspicious in the policy"`
	Stages      []taskStage `json:"stages"`
}

// listed is never null.
func listed[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func getTask(ctx context.Context, in getTaskIn) (getTaskOut, error) {
	s, p, err := taskCall(ctx, in.Project)
	if err != nil {
		return getTaskOut{}, err
	}
	t, err := s.b.readTask(ctx, p, in.start(p))
	if err != nil {
		return getTaskOut{}, toHost(err)
	}
	pol := t.Policy()
	out := getTaskOut{
		Name: t.Name(), Description: t.Description(), Warnings: listed(pol.Check()), Stages: []taskStage{},
		Policy: taskPolicy{listed(pol.Writable), listed(pol.Deny), listed(pol.Commands), listed(pol.Network), pol.Timeout.Milliseconds()},
	}
	for _, st := range t.Stages() {
		out.Stages = append(out.Stages, taskStage{st.Name, listed(st.Writes), listed(st.Artifacts), st.Timeout.Milliseconds()})
	}
	return out, nil
}

type runTaskIn struct {
	Project sam.ProjectID   `json:"project,omitempty"`
	Path    string          `json:"path,omitempty"`
	Source  string          `json:"source,omitempty" jsonschema:"a definition that is no file"`
	Lang    string          `json:"lang,omitempty" jsonschema:"of the source: json, js or ts; ts if left out"`
	Input   json.RawMessage `json:"input,omitempty" jsonschema:"any JSON; null if left out"`
	WaitMS  int             `json:"waitMs,omitempty" jsonschema:"milliseconds; 20000 if left out"`
}

// A hostTaskRun is a TaskRun as code sees it.
type hostTaskRun struct {
	ID       string        `json:"id"`
	Project  sam.ProjectID `json:"project"`
	Path     string        `json:"path,omitempty"`
	Task     string        `json:"task"`
	By       string        `json:"by" jsonschema:"person, or agent"`
	Resumed  string        `json:"resumed,omitempty" jsonschema:"the run that it goes on with"`
	Status   task.Status   `json:"status" jsonschema:"running, succeeded, failed, incomplete, conflict or canceled"`
	Error    string        `json:"error,omitempty"`
	Stages   []string      `json:"stages"`
	Stage    string        `json:"stage,omitempty" jsonschema:"at work, or which failed"`
	Started  string        `json:"started"`
	Duration int64         `json:"durationMs"`
	Changes  int           `json:"changes" jsonschema:"files that it has changed, written or not"`
	Kept     bool          `json:"kept,omitempty" jsonschema:"what it left can be opened and discarded"`
}

func newHostTaskRun(r TaskRun) hostTaskRun {
	by := "person"
	if r.Agent {
		by = "agent"
	}
	return hostTaskRun{r.ID, r.Project, r.Path, r.Task, by, r.Resumed, r.Status, r.Err, listed(r.Stages), r.Stage, isoTime(r.Started), r.Duration.Milliseconds(), r.Changes, r.Kept}
}

func runTaskOfAgent(ctx context.Context, in runTaskIn) (hostTaskRun, error) {
	s, p, err := taskCall(ctx, in.Project)
	if err != nil {
		return hostTaskRun{}, err
	}
	start := getTaskIn{in.Project, in.Path, in.Source, in.Lang}.start(p)
	start.Input = in.Input
	run, err := s.b.runTask(ctx, s, start)
	if err != nil {
		return hostTaskRun{}, toHost(err)
	}
	return s.b.await(ctx, run.ID, in.WaitMS)
}

// await waits for the end of a run, if it comes in time.
func (b *Bench) await(ctx context.Context, id string, waitMS int) (hostTaskRun, error) {
	b.tasks.mu.Lock()
	r := b.tasks.find(id)
	b.tasks.mu.Unlock()
	if r != nil && r.done != nil {
		waiting, cancel := context.WithTimeout(ctx, waitFor(waitMS, defaultTaskWait, maxTaskWait))
		defer cancel()
		select {
		case <-r.done:
		case <-waiting.Done():
		}
	}
	run, _, _, err := b.TaskRun(id)
	return newHostTaskRun(run), toHost(err)
}

type taskRunsOut struct {
	Runs []hostTaskRun `json:"runs"`
}

func listTaskRuns(ctx context.Context, _ nothing) (taskRunsOut, error) {
	out := taskRunsOut{Runs: []hostTaskRun{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	for _, r := range s.b.TaskRuns() {
		out.Runs = append(out.Runs, newHostTaskRun(r))
	}
	return out, nil
}

type taskStatusIn struct {
	Run    string `json:"run"`
	After  int    `json:"after,omitempty" jsonschema:"next of the last answer"`
	WaitMS int    `json:"waitMs,omitempty" jsonschema:"milliseconds; 20000 if left out"`
}

type hostTaskEvent struct {
	Kind  string `json:"kind"`
	Stage string `json:"stage,omitempty"`
	Text  string `json:"text"`
	Time  string `json:"time"`
}

type taskStatusOut struct {
	Run    hostTaskRun     `json:"run"`
	Events []hostTaskEvent `json:"events"`
	Next   int             `json:"next"`
}

func taskStatus(ctx context.Context, in taskStatusIn) (taskStatusOut, error) {
	out := taskStatusOut{Events: []hostTaskEvent{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	waiting, cancel := context.WithTimeout(ctx, waitFor(in.WaitMS, defaultTaskWait, maxTaskWait))
	defer cancel()
	for {
		_, changed := s.b.tasks.topic.look()
		run, events, from, err := s.b.TaskRun(in.Run)
		if err != nil {
			return out, toHost(err)
		}
		out.Run, out.Next = newHostTaskRun(run), from+len(events)
		if news := events[min(max(in.After-from, 0), len(events)):]; len(news) > 0 || run.Status != TaskRunning {
			for _, e := range news {
				out.Events = append(out.Events, hostTaskEvent{e.Kind, e.Stage, e.Text, isoTime(e.Time)})
			}
			return out, nil
		}
		select {
		case <-changed:
		case <-waiting.Done():
			return out, ctx.Err()
		}
	}
}

type taskRunIn struct {
	Run string `json:"run"`
}

// ofAgent returns a run that an agent may end or whose leavings it may use: not those on its own files, nor what a person has begun.
func ofAgent(ctx context.Context, id string, begun bool) (*session, TaskRun, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, TaskRun{}, err
	}
	run, _, _, err := s.b.TaskRun(id)
	if err != nil {
		return nil, TaskRun{}, toHost(err)
	}
	if begun && !run.Agent {
		return nil, TaskRun{}, &host.Error{Code: host.Denied, Message: "A person has started that run.", Hint: "Ask the person to end it."}
	}
	return s, run, s.mayChange(run.Project)
}

func cancelTask(ctx context.Context, in taskRunIn) (hostTaskRun, error) {
	s, run, err := ofAgent(ctx, in.Run, true)
	if err == nil {
		err = s.b.CancelTask(run.ID)
	}
	if err != nil {
		return hostTaskRun{}, toHost(err)
	}
	return s.b.await(ctx, run.ID, 0)
}

type taskReportOut struct {
	Report    json.RawMessage   `json:"report" jsonschema:"as the JSON Schema of reports has it"`
	Artifacts map[string]string `json:"artifacts" jsonschema:"the contents of those that are short texts"`
}

// maxShownArtifact is how many bytes of an artifact tasks.report shows.
const maxShownArtifact = 64 << 10

func taskReportOf(ctx context.Context, in taskRunIn) (taskReportOut, error) {
	out := taskReportOut{Artifacts: map[string]string{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	run, err := s.b.TaskReport(ctx, in.Run)
	if err != nil {
		return out, toHost(err)
	}
	out.Report = run.JSON()
	for _, name := range run.ArtifactNames() {
		if data, there := run.Data[run.Artifacts[name]]; there && len(data) <= maxShownArtifact && name != task.PatchArtifact {
			out.Artifacts[name] = string(data)
		}
	}
	return out, nil
}

type keptTasksOut struct {
	Kept []keptTask `json:"kept"`
}

type keptTask struct {
	Run   hostTaskRun `json:"run"`
	Since string      `json:"since"`
	Bytes int64       `json:"bytes"`
}

func keptTasks(ctx context.Context, _ nothing) (keptTasksOut, error) {
	out := keptTasksOut{Kept: []keptTask{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	all, err := s.b.KeptTasks()
	for _, k := range all {
		out.Kept = append(out.Kept, keptTask{newHostTaskRun(k.Run), isoTime(k.Time), k.Bytes})
	}
	return out, toHost(err)
}

type openKeptIn struct {
	Run  string `json:"run"`
	Name string `json:"name" jsonschema:"of the new project"`
}

func openKeptTask(ctx context.Context, in openKeptIn) (projectInfo, error) {
	s, _, err := ofAgent(ctx, in.Run, false)
	if err != nil {
		return projectInfo{}, err
	}
	return s.makeProject(ctx, func() (*sam.Project, error) { return s.b.keptProject(ctx, in.Run, sam.ProjectID(in.Name)) })
}

type resumeTaskIn struct {
	Run    string        `json:"run"`
	Stage  string        `json:"stage,omitempty" jsonschema:"the one that failed, if left out"`
	From   sam.ProjectID `json:"from,omitempty" jsonschema:"a project with the files, such as tasks.open makes"`
	WaitMS int           `json:"waitMs,omitempty" jsonschema:"milliseconds; 20000 if left out"`
}

func resumeTaskOfAgent(ctx context.Context, in resumeTaskIn) (hostTaskRun, error) {
	s, _, err := ofAgent(ctx, in.Run, false)
	if err != nil {
		return hostTaskRun{}, err
	}
	run, err := s.b.resumeTask(ctx, s, in.Run, in.Stage, in.From)
	if err != nil {
		return hostTaskRun{}, toHost(err)
	}
	return s.b.await(ctx, run.ID, in.WaitMS)
}

func discardKeptTask(ctx context.Context, in taskRunIn) (nothing, error) {
	s, run, err := ofAgent(ctx, in.Run, true)
	if err == nil {
		err = s.b.DiscardKept(run.ID)
	}
	return nothing{}, toHost(err)
}
