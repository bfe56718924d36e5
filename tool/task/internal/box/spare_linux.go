//go:build amd64 || arm64

package box

import (
	"bytes"
	"os"
	"time"

	"samkit.dev/internal/confine"
)

// spareAge is how long a spare waits for a command.
const spareAge = time.Minute

// A spare is a supervisor that has prepared what it can and waits for a command, so that the next one need not wait for it. It is
// made when a command begins, as the next will be of the same kind.
type spare struct {
	made   *supervised // nil if there is none
	making bool
	timer  *time.Timer
}

// takeSpare returns the spare if it is what a command needs, and nil otherwise.
func (b *Box) takeSpare(s confine.Stage, id identity) *supervised {
	b.mu.Lock()
	v := b.removeSpare()
	b.mu.Unlock()
	if v == nil {
		return nil
	}
	// What was mounted since is not in its namespace.
	if mounts, err := machineMounts(); err != nil || v.id != id || !v.stage.Equal(s) || !bytes.Equal(v.mounts, mounts) {
		v.end()
		return nil
	}
	return v
}

// removeSpare takes it out of the box, if there is one. b.mu is held.
func (b *Box) removeSpare() *supervised {
	v := b.spare.made
	if v != nil {
		b.spare.made = nil
		b.spare.timer.Stop()
	}
	return v
}

// makeSpare makes one for the next command, if there is none, and does not wait for it. A bare box has none: its processes
// would count among the command's.
func (b *Box) makeSpare(s confine.Stage, id identity) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.bare || b.spare.making || b.spare.made != nil {
		return
	}
	b.spare.making = true
	b.all.Go(func() {
		v := newSpare(s, id)
		b.mu.Lock()
		b.spare.making = false
		if v != nil && !b.closed {
			b.spare.made = v
			b.spare.timer = time.AfterFunc(spareAge, b.dropSpare)
			v = nil
		}
		b.mu.Unlock()
		if v != nil {
			v.end()
		}
	})
}

// newSpare starts one, or returns nil: the next command finds out why that does not work.
func newSpare(s confine.Stage, id identity) *supervised {
	mounts, err := machineMounts()
	if err != nil {
		return nil
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer null.Close()
	v, err := startSupervisor(s, id, [3]*os.File{null, null, null})
	if err != nil {
		return nil
	}
	v.mounts = mounts
	return v
}

// dropSpare ends the spare.
func (b *Box) dropSpare() {
	b.mu.Lock()
	v := b.removeSpare()
	b.mu.Unlock()
	if v != nil {
		v.end()
	}
}

// machineMounts says what is mounted where, for comparing.
func machineMounts() ([]byte, error) { return os.ReadFile("/proc/self/mountinfo") }
