package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// maxAudit is how many calls the bench's own audit keeps.
const maxAudit = 10_000

const (
	auditPrefix = "audit/"
	auditDelay  = time.Second // how long a call that was permitted may wait to be kept
	auditBatch  = 500         // calls in one key of the store, at most
	auditFinal  = 5 * time.Second
	auditNews   = 250 * time.Millisecond // how often those who follow are told
)

// An auditLog keeps the newest calls: behind them, so that no call waits for a disk, in
// batches, so that a thousand calls are one write; refusals are written at once. Without a space it keeps them in memory.
type auditLog struct {
	b     *Bench
	space sam.Space // nil: in memory
	wake  chan bool // there is something to keep; true: at once

	topic *topic // told of calls by tell

	saving sync.Mutex // held while a batch is written

	mu      sync.Mutex  // guards what follows
	telling *time.Timer // tells soon; nil if it need not
	closed  bool
	pending []host.Record
	dropped int // of pending, since the store did not take them
	batches []auditKey
	kept    int // calls in batches
}

// An auditKey is a batch in the store. Its name says how many calls it holds.
type auditKey struct {
	key string
	seq uint64
	n   int
}

func parseAuditKey(key string) (auditKey, bool) {
	seq, n, ok := strings.Cut(strings.TrimPrefix(key, auditPrefix), "-")
	k := auditKey{key: key}
	var err1, err2 error
	k.seq, err1 = strconv.ParseUint(seq, 16, 64)
	k.n, err2 = strconv.Atoi(n)
	return k, ok && err1 == nil && err2 == nil && k.n > 0
}

// openAudit reads which batches there are.
func openAudit(ctx context.Context, b *Bench) (*auditLog, error) {
	l := &auditLog{b: b, space: b.opts.Roles, wake: make(chan bool, 1), topic: newTopic()}
	if l.space == nil {
		return l, nil
	}
	for e, err := range l.space.List(ctx, auditPrefix, "") {
		if err != nil {
			return nil, fmt.Errorf("workbench: read the audit: %w", err)
		}
		if k, ok := parseAuditKey(e.Key); ok {
			l.batches = append(l.batches, k)
			l.kept += k.n
		}
	}
	return l, nil
}

// add takes a call that has ended. It waits for nobody.
func (l *auditLog) add(_ context.Context, r host.Record) {
	l.mu.Lock()
	if len(l.pending) == maxAudit+auditBatch { // moved rarely, since they are many
		l.pending = append(l.pending[:0], l.pending[auditBatch:]...)
		l.dropped += auditBatch
	}
	l.pending = append(l.pending, r)
	if l.telling == nil && !l.closed {
		l.telling = time.AfterFunc(auditNews, l.tell)
	}
	l.mu.Unlock()
	if l.space == nil {
		return
	}
	urgent := r.Code == host.Denied
	for {
		select {
		case l.wake <- urgent:
			return
		default:
		}
		if !urgent {
			return // it is awake
		}
		select {
		case <-l.wake: // which may not have been urgent
		default:
		}
	}
}

// tell wakes those who follow: an agent makes hundreds of calls a second.
func (l *auditLog) tell() {
	l.mu.Lock()
	l.telling = nil
	l.mu.Unlock()
	l.topic.publish()
}

// news is what [topic.look] returns of the calls; of no log there is none.
func (l *auditLog) news() (uint64, <-chan struct{}) {
	if l == nil {
		return 0, nil
	}
	return l.topic.look()
}

// run writes batches until ctx ends; what is left then Close writes.
func (l *auditLog) run(ctx context.Context) {
	for {
		select {
		case urgent := <-l.wake:
			if !urgent && !l.linger(ctx) {
				return
			}
		case <-ctx.Done():
			return
		}
		for l.flush(ctx) {
		}
	}
}

// linger waits for more calls, until one was refused. It reports false when ctx ended.
func (l *auditLog) linger(ctx context.Context) bool {
	delay := time.NewTimer(auditDelay)
	defer delay.Stop()
	for {
		select {
		case <-delay.C:
			return true
		case urgent := <-l.wake:
			if urgent {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}

// flush keeps a batch, and lets go of the oldest ones. It reports whether there is more to keep.
func (l *auditLog) flush(ctx context.Context) (more bool) {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	batch := slices.Clone(l.pending[:min(len(l.pending), auditBatch)])
	lost := l.dropped
	l.dropped = 0
	k := auditKey{n: len(batch)}
	if n := len(l.batches); n > 0 {
		k.seq = l.batches[n-1].seq + 1
	}
	k.key = fmt.Sprintf("%s%016x-%d", auditPrefix, k.seq, k.n)
	old, kept := 0, l.kept+k.n
	for old < len(l.batches) && old < 100 && kept-l.batches[old].n >= maxAudit {
		kept -= l.batches[old].n
		old++
	}
	gone := slices.Clone(l.batches[:old])
	l.mu.Unlock()
	if lost > 0 {
		l.b.opts.Logger.Error("workbench: the audit lost calls that the store did not take in time", "calls", lost)
	}
	if len(batch) == 0 {
		return false
	}
	value, err := json.Marshal(batch)
	if err == nil {
		ops := []sam.Op{{Key: k.key, Value: value, If: sam.Any}}
		for _, g := range gone {
			ops = append(ops, sam.Op{Key: g.key, Delete: true, If: sam.Any})
		}
		_, err = l.space.Commit(ctx, ops...)
	}
	if err != nil {
		if ctx.Err() == nil {
			l.b.opts.Logger.Error("workbench: keep the audit", "calls", len(batch), "err", err)
		}
		return false // with the next call they are tried again
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	written := len(batch) - min(l.dropped, len(batch)) // the oldest may have made room meanwhile
	l.pending = append(l.pending[:0], l.pending[written:]...)
	l.dropped -= len(batch) - written
	l.batches = append(l.batches[old:], k)
	l.kept = kept
	return len(l.pending) > 0
}

// close keeps what is left.
func (l *auditLog) close() {
	l.mu.Lock()
	l.closed = true
	if l.telling != nil {
		l.telling.Stop()
	}
	l.mu.Unlock()
	if l.space == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), auditFinal)
	defer cancel()
	for l.flush(ctx) {
	}
}

// Audit yields the calls of env.HOST, env.TOOL and services that the bench has seen,
// the newest first: at least the last 10,000. It yields none if [Options.Audit] is set.
func (b *Bench) Audit(ctx context.Context) iter.Seq2[host.Record, error] {
	return func(yield func(host.Record, error) bool) {
		if b.audit == nil {
			return
		}
		b.audit.read(ctx, yield)
	}
}

func (l *auditLog) read(ctx context.Context, yield func(host.Record, error) bool) {
	l.mu.Lock()
	pending, batches := slices.Clone(l.pending), slices.Clone(l.batches)
	l.mu.Unlock()
	for _, r := range slices.Backward(pending) {
		if !yield(r, nil) {
			return
		}
	}
	for _, k := range slices.Backward(batches) {
		value, _, err := l.space.Get(ctx, k.key)
		var batch []host.Record
		if err == nil {
			err = json.Unmarshal(value, &batch)
		}
		if err != nil {
			yield(host.Record{}, fmt.Errorf("workbench: read the audit: %w", err))
			return
		}
		for _, r := range slices.Backward(batch) {
			if !yield(r, nil) {
				return
			}
		}
	}
}
