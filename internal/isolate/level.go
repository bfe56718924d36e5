package isolate

import "fmt"

// A Level is how strongly a worker is kept apart.
type Level uint8

// The levels, the strongest first.
const (
	Sandboxed Level = iota // system calls filtered: Linux on amd64 and arm64
	Process                // a process that can be killed and whose memory is limited: every system
)

func (l Level) String() string {
	switch l {
	case Sandboxed:
		return "Sandboxed"
	case Process:
		return "Process"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Probe reports whether workers of level l can be had on this machine. The
// error says why not, and names the level that can.
func Probe(l Level) error {
	switch l {
	case Sandboxed:
		if err := probeFilter(); err != nil {
			return fmt.Errorf("isolate: level Sandboxed cannot be had here: %w; level Process can: workers that are killed and limited, but whose system calls are not filtered", err)
		}
		return nil
	case Process:
		return probeProcess()
	}
	return fmt.Errorf("isolate: there is no level %d", l)
}
