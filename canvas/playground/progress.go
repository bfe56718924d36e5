package playground

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"samkit.dev/host"
)

// progressEvery is how often the page is told how far something is.
const progressEvery = 100 * time.Millisecond

// A progress answers a request that may take long: a JSON value on each line, the last of
// which says how it ended. What ends before there was anything to tell is answered as any request,
// so a refusal keeps its status.
type progress struct {
	c    *call
	log  *slog.Logger
	stop func()

	mu    sync.Mutex // guards what follows
	begun bool
	now   progressEvent
	told  progressEvent
}

// progress begins to tell the page how far c is. The caller calls stop when it is over, whatever happens.
func (c *call) progress(log *slog.Logger) *progress {
	p := &progress{c: c, log: log}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.tell()
			case <-quit:
				return
			}
		}
	}()
	p.stop = sync.OnceFunc(func() { close(quit); <-done })
	return p
}

// tell writes how far it is, if that has changed.
func (p *progress) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now != p.told {
		p.told = p.now
		p.write(p.now)
	}
}

// at notes how many bytes of a step are done, and of how many if that is known. A step does not go back.
func (p *progress) at(step string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if step != p.now.Step || done > p.now.Done {
		p.now = progressEvent{Step: step, Done: done, Total: total}
	}
}

// end tells the page what became of it.
func (p *progress) end(reply importReply, err error) error {
	p.stop()
	switch {
	case err == nil:
		p.write(progressEvent{Step: "done", Imported: &reply})
	case !p.begun:
		return err
	default:
		e := explain(p.c.r, err)
		if e.Code == host.Internal && p.c.r.Context().Err() == nil {
			p.log.Error("playground: import failed", "path", p.c.r.URL.Path, "err", err)
		}
		p.write(progressEvent{Step: "failed", Failed: &failedInfo{Code: string(e.Code), Message: e.Message}})
	}
	return nil
}

// write writes a line now. Whether someone reads it is found out by the request's context.
func (p *progress) write(e progressEvent) {
	if !p.begun {
		p.begun = true
		head := p.c.w.Header()
		head.Set("Content-Type", "application/x-ndjson")
		head.Set("X-Accel-Buffering", "no")
		p.c.w.WriteHeader(http.StatusOK)
	}
	line, err := json.Marshal(e)
	if err != nil {
		panic(err) // the types are the package's own
	}
	p.c.w.Write(append(line, '\n'))
	http.NewResponseController(p.c.w).Flush()
}
