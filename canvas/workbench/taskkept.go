package workbench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"samkit.dev/sam"
	"samkit.dev/tool/task"
)

// A KeptTask is what a run has left that did not succeed.
type KeptTask struct {
	Run   TaskRun
	Time  time.Time // when it was kept
	Bytes int64     // of its files, artifacts and report
}

// KeptTasks lists what runs of the bench have left, the newest first.
func (b *Bench) KeptTasks() ([]KeptTask, error) {
	all := []KeptTask{}
	for _, r := range b.TaskRuns() {
		if !r.Kept {
			continue
		}
		k, err := b.opts.Tasks.Kept.Open(r.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue // discarded just now
		}
		if err != nil {
			return nil, err
		}
		all = append(all, KeptTask{r, k.Time, k.Bytes})
	}
	return all, nil
}

// kept returns what a run of the bench has left. The error matches fs.ErrNotExist if that is nothing.
func (b *Bench) kept(id string) (TaskRun, task.KeptRun, error) {
	run, _, _, err := b.TaskRun(id)
	if err == nil && !run.Kept {
		err = fmt.Errorf("workbench: what run %q has left: %w", id, fs.ErrNotExist)
	}
	if err != nil {
		return TaskRun{}, task.KeptRun{}, err
	}
	k, err := b.opts.Tasks.Kept.Open(id)
	return run, k, err
}

// OpenKept makes a project of the files that a run has left, to look into and to mend: it has an editor, a canvas and commands as all
// have. What the task's policy denies is not there. The error matches fs.ErrNotExist if nothing was left.
func (b *Bench) OpenKept(ctx context.Context, run string, id sam.ProjectID) (*sam.Project, error) {
	return b.Add(func(*sam.Workspace) (*sam.Project, error) { return b.keptProject(ctx, run, id) })
}

// keptProject is OpenKept; making is held.
func (b *Bench) keptProject(ctx context.Context, run string, id sam.ProjectID) (*sam.Project, error) {
	_, k, err := b.kept(run)
	if err != nil {
		return nil, err
	}
	return b.ws.Create(ctx, id, os.DirFS(k.Dir))
}

// DiscardKept removes what a run has left. The run and its report stay. The error matches fs.ErrNotExist if it has
// left nothing.
func (b *Bench) DiscardKept(run string) error {
	if _, _, err := b.kept(run); err != nil {
		return err
	}
	err := b.opts.Tasks.Kept.Discard(run)
	b.tasks.topic.publish()
	return err
}

// ResumeTask goes on with a run that did not succeed, for a person, as a run of its own: from a stage, "" being the one that failed. Its
// definition is read again, so it may have been mended. The last stage goes on with the files as they were left or, if from names a project, such as that of [Bench.OpenKept], with its
// files; the task's policy holds for those changes as well. The error matches fs.ErrNotExist if nothing was left.
func (b *Bench) ResumeTask(ctx context.Context, run, stage string, from sam.ProjectID) (TaskRun, error) {
	return b.resumeTask(ctx, nil, run, stage, from)
}

// resumeTask is ResumeTask for a session of the agent, or for a person if s is nil.
func (b *Bench) resumeTask(ctx context.Context, s *session, id, stage string, from sam.ProjectID) (TaskRun, error) {
	if b.opts.Tasks == nil {
		return TaskRun{}, errNoTasks
	}
	before, k, err := b.kept(id)
	if err != nil {
		return TaskRun{}, err
	}
	p, err := b.ws.Open(ctx, before.Project)
	if err == nil && s != nil {
		err = s.mayChange(p.ID())
	}
	if err != nil {
		return TaskRun{}, err
	}
	b.tasks.mu.Lock()
	start := TaskStart{Project: before.Project, Path: before.Path, resumed: id}
	if r := b.tasks.find(id); r != nil {
		start.Source, start.Lang = r.Source, r.Lang
	}
	b.tasks.mu.Unlock()
	opts := &task.ResumeOptions{Stage: stage}
	if from != "" {
		mended, err := b.ws.Open(ctx, from)
		if err != nil {
			return TaskRun{}, err
		}
		opts.Files = mended.FS(context.WithoutCancel(ctx))
	}
	t, err := b.readTask(ctx, p, start)
	if err != nil {
		return TaskRun{}, err
	}
	if err := b.askTask(ctx, s, t, start); err != nil {
		return TaskRun{}, err
	}
	return b.launch(ctx, s, p, t, start, func(ctx context.Context, run *task.RunOptions) (*task.Run, error) {
		_, done, err := t.Resume(ctx, task.Project(p), b.opts.Tasks.Kept, k.ID, opts, run)
		return done, err
	})
}
