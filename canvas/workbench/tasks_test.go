package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// sums adds up a file, and holds if the sum is what check says.
func sums(check string) string {
	return `{"name": "sums", "description": "Adds up.", "policy": {"writable": ["sum*.txt"], "deny": [".env"], "commands": [["awk", "*", "in.txt"], ["grep", "-qx", "*", "sum.txt"], ["sleep", "*"]], "timeoutMs": 60000}, "stages": [
	{"name": "add", "commands": [["awk", "{ s += $1 } END { print s > \"sum.txt\" }", "in.txt"]]},
	{"name": "check", "writes": [], "commands": [["grep", "-qx", "` + check + `", "sum.txt"]], "artifacts": {"sum": "sum.txt"}}]}`
}

// A waiting task is at work until it is canceled.
const sleeping = `{"name": "sleeps", "policy": {"commands": [["sleep", "*"]], "timeoutMs": 600000}, "stages": [{"name": "sleep", "commands": [["sleep", "500"]]}]}`

func withTasks(t *testing.T) *TaskOptions {
	t.Helper()
	kept, err := task.OpenKept(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &TaskOptions{Kept: kept}
}

// ended waits for the end of a run.
func ended(t *testing.T, b *Bench, id string) TaskRun {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		run, events, _, err := b.TaskRun(id)
		if err != nil {
			t.Fatal(err)
		}
		if run.Status != TaskRunning {
			return run
		}
		if time.Now().After(end) {
			t.Fatalf("run %s goes on: %+v", id, events)
		}
	}
}

func TestTasksOfAPerson(t *testing.T) {
	s := serve(t, Options{Commands: commands(), Tasks: withTasks(t)})
	ctx := t.Context()
	p := s.project(t, "notes", sam.Files{"in.txt": "3\n4\n", ".env": "KEY=1", "tasks/good.task.json": sums("7"), "bad.task.json": sums("8"), "wrong.task.json": `{"name": "x"}`,
		"tasks/mod.ts": `import { narrow } from "./lib/policy";
			export default defineTask({ name: "mod", policy: narrow, stages: [defineStage("s", async (ctx) => { await ctx.exec("cp in.txt out.txt"); return ctx.input.n + 1; })] })`,
		"tasks/lib/policy.ts": `export const narrow = definePolicy({ writablePaths: ["out.txt"], allowedCommands: ["cp in.txt *"] })`})
	s.project(t, "other", nil)
	f := follow(t, s.Bench, "", "")
	f.next(Ready)
	files, err := s.TaskFiles(ctx, "notes")
	if err != nil || !slices.Equal(files, []TaskFile{{"bad.task.json", "json"}, {"tasks/good.task.json", "json"}, {"tasks/mod.ts", "ts"}, {"wrong.task.json", "json"}}) {
		t.Errorf("%v %v", files, err)
	}
	info, err := s.ReadTask(ctx, "notes", "tasks/good.task.json")
	if err != nil || info.Name != "sums" || info.Description != "Adds up." || len(info.Stages) != 2 || info.Stages[0].Writes[0] != "sum*.txt" || len(info.Stages[1].Writes) != 0 {
		t.Errorf("%+v %v", info, err)
	}
	for name, want := range map[string]host.Code{"wrong.task.json": host.Invalid, "in.txt": host.Invalid} {
		if _, err := s.ReadTask(ctx, "notes", name); code(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.ReadTask(ctx, "notes", "no.task.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}

	run, err := s.RunTask(ctx, TaskStart{Project: "notes", Path: "tasks/good.task.json"})
	if err != nil {
		t.Fatal(err)
	}
	f.until(Tasks)
	if run = ended(t, s.Bench, run.ID); run.Status != task.Succeeded || run.Agent || run.Kept || run.Changes != 1 {
		t.Errorf("%+v", run)
	}
	if data, err := p.ReadFile(ctx, "sum.txt"); err != nil || string(data) != "7\n" {
		t.Errorf("%q %v", data, err)
	}
	_, events, first, err := s.TaskRun(run.ID)
	if err != nil || first != 0 || len(events) < 6 || events[0].Kind != "start" || events[len(events)-1].Kind != "end" {
		t.Errorf("%+v %v", events, err)
	}
	bad, err := s.RunTask(ctx, TaskStart{Project: "notes", Source: strings.ReplaceAll(sums("8"), "sums", "inline"), Lang: "json"})
	if err != nil {
		t.Fatal(err)
	}
	if bad = ended(t, s.Bench, bad.ID); bad.Status != task.Failed || !bad.Kept || bad.Stage != "check" || bad.Task != "inline" {
		t.Errorf("%+v", bad)
	}
	for _, start := range []TaskStart{{Path: "tasks/mod.ts"}, {Lang: "ts", Source: `export default defineTask({ name: "mod", policy: definePolicy({}), stages: [defineStage("s", (ctx) => ctx.input.n + 1)] })`}} {
		start.Project, start.Input = "other", json.RawMessage(`{"n": 1}`)
		if start.Path != "" {
			start.Project = "notes"
		}
		mod, err := s.RunTask(ctx, start)
		if err != nil {
			t.Fatal(err)
		}
		if mod = ended(t, s.Bench, mod.ID); mod.Status != task.Succeeded || mod.Task != "mod" {
			t.Errorf("%+v", mod)
		}
		if rep, err := s.TaskReport(ctx, mod.ID); err != nil || string(rep.Output) != "2" {
			t.Errorf("%+v %v", rep, err)
		}
	}
	if err := s.Delete(ctx, "other"); err != nil {
		t.Error(err)
	}
	s.tasks.forget(slices.Clone(s.tasks.runs[2:]))
	if all := s.TaskRuns(); len(all) != 2 || all[0].ID != bad.ID || all[1].ID != run.ID {
		t.Errorf("%+v", all)
	}
	kept, err := s.KeptTasks()
	if err != nil || len(kept) != 1 || kept[0].Run.ID != bad.ID || kept[0].Bytes == 0 {
		t.Errorf("%+v %v", kept, err)
	}
	opened, err := s.OpenKept(ctx, bad.ID, "notes-failed")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := opened.ReadFile(ctx, "sum.txt"); err != nil || string(data) != "7\n" {
		t.Errorf("%q %v", data, err)
	}
	if _, err := opened.Stat(ctx, ".env"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is denied: %v", err)
	}

	// Another bench on the same store knows them; it alone, and no bench of others, has what was left.
	s.Close()
	again := s.serve(t, Options{Commands: commands(), Tasks: s.opts.Tasks}).Bench
	if all := again.TaskRuns(); len(all) != 2 || all[0].ID != bad.ID || !all[0].Kept {
		t.Errorf("%+v", all)
	}
	report, err := again.TaskReport(ctx, run.ID)
	if err != nil || report.Status != task.Succeeded || string(report.Artifact("sum")) != "7\n" || !strings.Contains(string(report.Artifact(task.PatchArtifact)), "+7") {
		t.Errorf("%+v %v", report, err)
	}
	bob, err := New(ctx, sam.NewWorkspace(s.store, "bob", nil), s.eng, &Options{Tasks: s.opts.Tasks})
	if err != nil {
		t.Fatal(err)
	}
	defer bob.Close()
	if _, err := bob.OpenKept(ctx, bad.ID, "mine"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := bob.DiscardKept(bad.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := again.DiscardKept(bad.ID); err != nil {
		t.Error(err)
	}
	if err := again.DiscardKept(bad.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if all := again.TaskRuns(); all[0].Kept {
		t.Errorf("%+v", all)
	}
	if err := again.Delete(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	if all := again.TaskRuns(); len(all) != 0 {
		t.Errorf("of a project that is gone: %+v", all)
	}
}

func TestTasksEnd(t *testing.T) {
	s := serve(t, Options{Commands: commands(), Tasks: withTasks(t)})
	ctx := t.Context()
	s.project(t, "notes", sam.Files{"t.task.json": sleeping})
	s.project(t, "other", sam.Files{"t.task.json": sleeping})
	start := func(id sam.ProjectID) TaskRun {
		t.Helper()
		run, err := s.RunTask(ctx, TaskStart{Project: id, Path: "t.task.json"})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	one, two := start("notes"), start("other")
	if err := s.CancelTask(one.ID); err != nil {
		t.Fatal(err)
	}
	if run := ended(t, s.Bench, one.ID); run.Status != task.Canceled {
		t.Errorf("%+v", run)
	}
	if err := s.CancelTask("run-none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := s.Delete(ctx, "other"); err != nil { // ends what runs there
		t.Fatal(err)
	}
	if _, _, _, err := s.TaskRun(two.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for range maxTaskRuns {
		start("notes")
	}
	if _, err := s.RunTask(ctx, TaskStart{Project: "notes", Path: "t.task.json"}); code(err) != host.Exhausted {
		t.Error(err)
	}
	s.Close() // ends them
	again := s.serve(t, Options{Commands: commands(), Tasks: s.opts.Tasks}).Bench
	for _, run := range again.TaskRuns() {
		if run.Status != task.Canceled {
			t.Errorf("%+v", run)
		}
	}
	if _, err := s.RunTask(ctx, TaskStart{Project: "notes", Path: "t.task.json"}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	without := s.serve(t, Options{}).Bench
	if _, err := without.RunTask(ctx, TaskStart{Project: "notes", Path: "t.task.json"}); code(err) != host.Unavailable {
		t.Error(err)
	}
}

// Whatever a run prints and changes, its report fits where it is kept.
func TestLongReportsAreShortened(t *testing.T) {
	run := &task.Run{ID: "run-1", Status: task.Failed, Artifacts: map[string]string{"a": "1", "b": "2"}, Data: map[string][]byte{"1": make([]byte, 200<<10), "2": make([]byte, 200<<10)}}
	long := strings.Repeat("x", 16<<10)
	for range 20 {
		var s task.StageReport
		for range 100 {
			s.Execs = append(s.Execs, task.Exec{Argv: []string{"echo"}, Stdout: task.Output{Head: long, Tail: long}})
		}
		run.Stages = append(run.Stages, s)
		run.Changes = append(run.Changes, task.Change{Name: "a", Kind: "changed", Diff: long})
	}
	check := func() {
		t.Helper()
		rep := newTaskReport(run)
		if _, err := task.ParseRun(rep.Report); err != nil || len(rep.Report) > maxReport {
			t.Errorf("%d bytes, %v", len(rep.Report), err)
		}
		data, err := json.Marshal(rep)
		if err != nil || len(data) > sam.MaxValue {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
	check()
	run.Stages[0].Execs[0].Argv = []string{strings.Repeat("x", 1<<20)}
	check()
}

func TestOnlyTheLastRunsAreRemembered(t *testing.T) {
	b := open(t)
	b.opts.Tasks = withTasks(t)
	p := b.create(t, "notes")
	nothing := `{"name": "n", "policy": {}, "stages": [{"name": "s", "commands": []}]}`
	var first string
	for i := range maxTaskReports + 2 {
		run, err := b.RunTask(context.Background(), TaskStart{Project: p.ID(), Source: nothing, Lang: "json"})
		if err != nil {
			t.Fatal(err)
		}
		ended(t, b.Bench, run.ID)
		if i == 0 {
			first = run.ID
		}
	}
	b.Close()
	again := b.again(t)
	if n := len(again.TaskRuns()); n != maxTaskReports {
		t.Errorf("%d runs", n)
	}
	if _, err := again.TaskReport(t.Context(), first); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
