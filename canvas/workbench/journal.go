package workbench

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"sync"
	"time"

	"samkit.dev/sam"
)

// journalLen is how many changes of files a journal keeps for readers who come back,
// and linger how long it is kept without readers.
const (
	journalLen = 512
	linger     = time.Minute
	retryWatch = time.Second
)

// A journal is the recent changes of one project's files. One goroutine writes it.
type journal struct {
	id    sam.ProjectID
	topic *topic
	data  *topic // of KV and databases; those changes are not kept
	stop  context.CancelFunc
	done  <-chan struct{} // closed when it ends
	live  chan struct{}   // closed when changes are followed

	// Guarded by Bench.mu:
	readers int
	end     *time.Timer // ends an unread journal

	mu      sync.Mutex // guards what follows
	changes []change   // oldest first
	before  uint64     // what happened up to here is not in changes
	last    uint64
}

// A change is a file as it became.
type change struct {
	seq  uint64
	file sam.File
}

// join returns the journal of a project for one more reader, starting it if need be.
func (b *Bench) join(p *sam.Project) (*journal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, ErrClosed
	}
	j := b.journals[p.ID()]
	if j == nil {
		ctx, stop := context.WithCancel(b.ctx)
		// Numbers go on where other journals of the bench are, so that a position
		// in an ended journal is never one in this.
		b.seq++
		j = &journal{id: p.ID(), topic: newTopic(), data: newTopic(), stop: stop, done: ctx.Done(), live: make(chan struct{}), before: b.seq, last: b.seq}
		b.journals[p.ID()] = j
		b.wg.Go(func() { b.write(ctx, p, j) })
		stored := p.WatchState(ctx) // from here on
		b.wg.Go(func() { b.watchState(ctx, j, stored) })
	}
	if j.end != nil {
		j.end.Stop()
		j.end = nil
	}
	j.readers++
	return j, nil
}

// part takes a reader off; b.mu is held.
func (b *Bench) part(j *journal) {
	if j.readers--; j.readers > 0 || b.closed {
		return
	}
	j.end = time.AfterFunc(linger, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if j.readers == 0 {
			b.drop(j)
		}
	})
}

// drop ends a journal; b.mu is held.
func (b *Bench) drop(j *journal) {
	j.stop()
	if b.journals[j.id] == j {
		delete(b.journals, j.id)
	}
}

// write follows the project until ctx or the project ends. Where the store fails,
// readers are told that they missed something once it works again.
func (b *Bench) write(ctx context.Context, p *sam.Project, j *journal) {
	defer b.end(j)
	for first := true; ctx.Err() == nil; first = false {
		changes := p.Watch(ctx)
		if first {
			close(j.live)
		} else {
			j.lose(b.nextSeq())
		}
		for file, err := range changes {
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			if err != nil {
				if ctx.Err() == nil {
					b.opts.Logger.Error("workbench: follow the files of a project", "project", j.id, "err", err)
				}
				break
			}
			j.add(b.nextSeq(), file)
		}
		select {
		case <-time.After(retryWatch):
		case <-ctx.Done():
		}
	}
}

// stateNews is how long those who follow wait for more: an app writes hundreds of times a second.
const stateNews = 250 * time.Millisecond

// watchState tells of changes of the state. What the store can't tell people read again by themselves.
func (b *Bench) watchState(ctx context.Context, j *journal, changes iter.Seq2[sam.Parts, error]) {
	some := make(chan struct{}, 1)
	b.wg.Go(func() {
		defer close(some)
		for _, err := range changes {
			if err != nil {
				if ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
					b.opts.Logger.Error("workbench: follow the data of a project", "project", j.id, "err", err)
				}
				return
			}
			select {
			case some <- struct{}{}:
			default:
			}
		}
	})
	for range some {
		j.data.publish()
		select {
		case <-time.After(stateNews):
		case <-ctx.Done():
			return
		}
	}
}

// end drops a journal whose goroutine returns.
func (b *Bench) end(j *journal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(j)
}

func (b *Bench) nextSeq() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	return b.seq
}

func (j *journal) add(seq uint64, f sam.File) {
	j.mu.Lock()
	if len(j.changes) == journalLen {
		j.before = j.changes[0].seq
		j.changes = append(j.changes[:0], j.changes[1:]...)
	}
	j.changes = append(j.changes, change{seq, f})
	j.last = seq
	j.mu.Unlock()
	j.topic.publish()
}

// lose records that changes up to seq are not known.
func (j *journal) lose(seq uint64) {
	j.mu.Lock()
	j.changes, j.before, j.last = nil, seq, seq
	j.mu.Unlock()
	j.topic.publish()
}

func (j *journal) newest() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// holds reports whether all that happened after seq is known.
func (j *journal) holds(seq uint64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return seq >= j.before
}

// since returns the files that changed after seq, each once and as it is now, and
// the number of the newest change. lost says that some changes are not known.
func (j *journal) since(seq uint64) (files []sam.File, upto uint64, lost bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq < j.before {
		return nil, j.last, true
	}
	at := make(map[string]int)
	for _, c := range j.changes {
		if c.seq <= seq {
			continue
		}
		if i, ok := at[c.file.Name]; ok {
			files[i] = c.file
			continue
		}
		at[c.file.Name] = len(files)
		files = append(files, c.file)
	}
	return files, j.last, false
}
