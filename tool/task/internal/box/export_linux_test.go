//go:build linux && (amd64 || arm64)

package box

import "time"

// OpenBare opens a light box as where there are no namespaces.
func OpenBare() (*Box, error) {
	b := &Box{kind: Light, bare: true, running: make(map[*running]struct{})}
	var err error
	b.level, err = b.probe()
	return b, err
}

// Spare waits until there is a spare supervisor, and returns its process.
func (b *Box) Spare() int {
	for range 3000 {
		b.mu.Lock()
		v := b.spare.made
		b.mu.Unlock()
		if v != nil {
			return v.proc.Pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

// AgeSpare makes the spare one that was started before something was mounted.
func (b *Box) AgeSpare() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spare.made.mounts = nil
}
