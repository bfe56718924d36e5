package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"samkit.dev/sam"
)

// limits are those of a folder that a person works in. What sam allows a
// project by default is meant for what strangers write.
var limits = sam.Limits{Files: 100_000, FileBytes: 512 << 20, ProjectBytes: 2 << 30}

// A follower makes a project what a folder is. It polls: that works on every file
// system and needs no handle for each directory.
type follower struct {
	dir  *folder
	ws   *sam.Workspace
	last listing
}

const (
	minPause = 60 * time.Millisecond // between looks; longer where a look takes long
	maxPause = 3 * time.Second
	settle   = 15 * time.Millisecond // in which what is being written must not change
)

// deploy makes the project what the folder is now.
func (f *follower) deploy(ctx context.Context) (*sam.Project, error) {
	files, err := f.dir.scan()
	if err != nil {
		return nil, err
	}
	p, err := f.put(ctx, files)
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < 10; try++ { // a file went while it was read
		if files, err = f.dir.scan(); err != nil {
			return nil, err
		}
		p, err = f.put(ctx, files)
	}
	return p, err
}

func (f *follower) put(ctx context.Context, files listing) (*sam.Project, error) {
	p, err := f.ws.Deploy(ctx, "app", newView(f.dir, files))
	if err == nil {
		f.last = files
	}
	return p, err
}

// run follows the folder until ctx ends.
func (f *follower) run(ctx context.Context) {
	trouble := ""
	pause := minPause
	for wait(ctx, pause) {
		began := time.Now()
		files, err := f.dir.scan()
		took := time.Since(began)
		pause = min(max(minPause, 10*took), maxPause)
		if err == nil && !maps.Equal(files, f.last) {
			if files, err = f.settled(ctx, files); err == nil {
				_, err = f.put(ctx, files)
			}
		}
		if ctx.Err() != nil {
			return
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != "" && text != trouble {
			fmt.Fprintln(os.Stderr, "serve: the app stays as it was:", text)
		}
		trouble = text
	}
}

// settled waits until nothing changes for a moment, or for a few of them, so
// that a file is not read while it is half written.
func (f *follower) settled(ctx context.Context, files listing) (listing, error) {
	for range 10 {
		if !wait(ctx, settle) {
			return nil, ctx.Err()
		}
		again, err := f.dir.scan()
		if err != nil || maps.Equal(again, files) {
			return files, err
		}
		files = again
	}
	return files, nil
}

// wait reports whether ctx lasted for d.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
