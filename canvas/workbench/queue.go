package workbench

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// What waits on a bench, at most.
const maxJobs = 50

// A Job is a command that runs on a bench, or that waits until those before it have ended: the person's
// and the agent's change the same files, and neither is to see half of what the other does.
type Job struct {
	ID      string
	Agent   bool // the agent's; else the person's
	Project sam.ProjectID
	Command string // in words, for a person to read
	Since   time.Time
}

// Jobs lists what runs and what waits. The first runs.
func (b *Bench) Jobs() []Job { return b.queue.list() }

// Interrupt ends a job, whoever's it is. One that is over is none.
func (b *Bench) Interrupt(id string) { b.queue.interrupt(id) }

// A queue runs one job at a time, in the order in which they came.
type queue struct {
	topic *topic // of changes

	mu   sync.Mutex // guards jobs
	jobs []*queued
}

type queued struct {
	Job
	turn   chan struct{} // closed when it may run
	cancel context.CancelFunc
}

// enter waits for the turn of a job. Its context ends when it is interrupted; the caller calls leave when the job is over. before is
// what the job had to wait for.
func (q *queue) enter(ctx context.Context, j Job) (run context.Context, before []Job, leave func(), err error) {
	j.ID, j.Since = rand.Text(), time.Now()
	if len(j.Command) > maxJobWords {
		j.Command = shorten(j.Command, 0, maxJobWords)
	}
	e := &queued{Job: j, turn: make(chan struct{})}
	ctx, e.cancel = context.WithCancel(ctx)
	q.mu.Lock()
	if len(q.jobs) >= maxJobs {
		q.mu.Unlock()
		e.cancel()
		return nil, nil, nil, &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("%d commands run or wait.", maxJobs), Retry: true, Details: fmt.Appendf(nil, `{"limit":"cmd_queue","value":%d}`, maxJobs)}
	}
	for _, other := range q.jobs {
		before = append(before, other.Job)
	}
	if q.jobs = append(q.jobs, e); len(q.jobs) == 1 {
		close(e.turn)
	}
	q.mu.Unlock()
	q.topic.publish()
	leave = sync.OnceFunc(func() {
		e.cancel()
		q.remove(e)
	})
	select {
	case <-e.turn:
		return ctx, before, leave, nil
	case <-ctx.Done():
		leave()
		return nil, before, nil, context.Cause(ctx)
	}
}

// maxJobWords bounds the words for a command, in bytes.
const maxJobWords = 200

// remove takes a job out and lets the next one run, if that was its turn.
func (q *queue) remove(e *queued) {
	q.mu.Lock()
	at := slices.Index(q.jobs, e)
	if q.jobs = slices.Delete(q.jobs, at, at+1); at == 0 && len(q.jobs) > 0 {
		close(q.jobs[0].turn)
	}
	q.mu.Unlock()
	q.topic.publish()
}

func (q *queue) list() []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]Job, len(q.jobs))
	for i, e := range q.jobs {
		all[i] = e.Job
	}
	return all
}

func (q *queue) interrupt(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.jobs {
		if e.ID == id {
			e.cancel()
		}
	}
}
