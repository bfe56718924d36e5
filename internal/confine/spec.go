package confine

import "slices"

// Marker is the environment variable that makes a process a supervisor.
const Marker = "SAMKIT_BOX"

// LinkFD is the descriptor at which a supervisor finds its link. What comes there is a [Stage], at once, and when there is a command its
// Spec with the three descriptors of its standard streams: each as four bytes of length in big-endian order, which the descriptors come with, and JSON.
// It answers with a [Ready] and an [End], one line of JSON each. If the link ends before the Spec there is no command.
const LinkFD = 3

// A Stage is what a supervisor can prepare before there is a command. It is the same in the Spec.
type Stage struct {
	Strong bool
	// Own says that a light supervisor has namespaces of processes and mounts; a strong one always has.
	Own      bool
	System   []string // of the machine, what may be read
	TempSize int64    // bytes below a strong command's /tmp
}

// Equal reports whether what was prepared for one will do for the other.
func (s Stage) Equal(t Stage) bool {
	return s.Strong == t.Strong && s.Own == t.Own && s.TempSize == t.TempSize && slices.Equal(s.System, t.System)
}

// UID is who a command is within a strong box, as user and as group.
const UID = 1000

// A Spec is one command and what it may reach. Paths are absolute, and exist.
type Spec struct {
	Stage
	Path string // what to execute
	Argv []string
	Env  []string
	Dir  string

	Root     string   // the workspace, which may be read
	Writable []string // Root, or what is below it
	ReadOnly []string // below what is writable; held where there are namespaces
	Hidden   []string // below Root; likewise
	Temp     string   // a light command's own, which it may write
	Mask     string   // of a light command: a directory with an empty file and an empty dir, which cover what is hidden
	Proxy    int      // the port on the loopback at which there is one; 0 means no network

	// RunAs is who a light command becomes where the program is root.
	RunAs, RunAsGroup int

	Processes int   // that may exist at once
	Memory    int64 // bytes, of all together
	FileSize  int64 // bytes of one file

	// Probe asks for attempts to escape in place of the command.
	Probe *Probe `json:",omitempty"`
}

// A Probe says where the things are that must be out of reach.
type Probe struct {
	File     string // that may be neither read nor written nor changed
	Dir      string // that nothing may be made in
	Socket   string // of the file system, with a listener
	Abstract string // a name in the abstract namespace, with a listener
	TCP, UDP int    // ports on the loopback
	PID      int
	Hook     string // a file in the workspace's .git/hooks
	Denied   string // a file in the workspace
}

// An Attempt is what came of one attempt to escape.
type Attempt struct {
	Name   string
	Open   bool   // it worked
	Detail string // what the system said
}

// Ready says that the command is about to start, or why not. In a strong box with a proxy
// it carries the listener that the command reaches.
type Ready struct {
	Err      string `json:",omitempty"`
	Landlock int    // version of the kernel's interface, 0 without
}

// An End says how the command ended.
type End struct {
	Code     int
	Signal   int       // that ended it, or 0
	Over     string    `json:",omitempty"` // the limit that was passed: OverMemory, OverProcesses
	Err      string    `json:",omitempty"` // it could not be started
	Attempts []Attempt `json:",omitempty"`
}

// The limits that a supervisor watches.
const (
	OverMemory    = "memory"
	OverProcesses = "processes"
)
