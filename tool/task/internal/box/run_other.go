//go:build !linux || !(amd64 || arm64)

package box

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Here nothing holds a command: it gets a fresh environment, bounds on its output and time, and what it
// started is ended as far as the system can say what that is. The Level says so.

// A spare is nothing here: there is no supervisor.
type spare struct{}

func (*Box) dropSpare() {}

func (b *Box) probe() (Level, error) {
	level := Level{Kind: b.kind}
	if b.kind == Strong {
		return level, fmt.Errorf("it is made of Linux namespaces, on amd64 and arm64, and this is %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)
	}
	for _, a := range about {
		t := Thing{Name: a.name, About: a.text, Detail: "nothing holds it on " + runtime.GOOS}
		switch a.name {
		case "hooks":
			t.Held, t.Detail = Undone, "it is put back"
		case "tree":
			t.Detail = treeDetail
		}
		level.Things = append(level.Things, t)
	}
	return level, nil
}

// errOver is why a job was ended by what this process watches.
type errOver struct{ Reason }

func (e errOver) Error() string { return "the limit of " + string(e.Reason) + " was passed" }

// capped writes until the limit of output, of both streams together.
type capped struct {
	mu     *sync.Mutex // guards left and to
	left   *int64
	to     interface{ Write([]byte) (int, error) }
	cancel context.CancelCauseFunc
}

func (c *capped) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keep := b[:min(int64(len(b)), max(*c.left, 0))]
	if *c.left -= int64(len(b)); *c.left < 0 {
		c.cancel(errOver{Output})
	}
	if c.to != nil && len(keep) > 0 {
		if _, err := c.to.Write(keep); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (b *Box) run(ctx context.Context, j *job) (*Result, error) {
	if j.network() {
		return nil, fmt.Errorf("a command's network can't be held on %s: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	home, err := j.makeHome()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, j.path, j.argv[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env, cmd.Stdin = j.argv[0], j.dir, j.environment(home, home, ""), j.stdin
	var mu sync.Mutex
	left := j.limits.Output
	cmd.Stdout, cmd.Stderr = &capped{&mu, &left, j.out, cancel}, &capped{&mu, &left, j.err, cancel}
	cmd.WaitDelay = 2 * time.Second
	group(cmd)
	err = cmd.Run()
	endGroup(cmd)
	r := &Result{Code: -1}
	if cmd.ProcessState != nil {
		r.Code = exitCode(cmd.ProcessState)
	}
	var over errOver
	var exit *exec.ExitError
	switch {
	case errors.As(context.Cause(ctx), &over):
		r.Killed = over.Reason
	case ctx.Err() != nil:
		r.Killed = reason(ctx)
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return nil, err
	}
	if r.Killed != "" {
		r.Code = 128 + 9
	}
	return r, nil
}
