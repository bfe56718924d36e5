package box

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Level is what a box holds, found out by trying.
type Level struct {
	Kind   Kind     `json:"kind"`
	Means  []string `json:"means"` // "landlock 7", "seccomp", "namespaces"
	Things []Thing  `json:"things"`
}

// A Thing is what a command shall not reach, and whether it does not.
type Thing struct {
	Name   string `json:"name"`   // "read", "socket" …, see about
	About  string `json:"about"`  // for people: "files outside the workspace can't be read"
	Held   Hold   `json:"held"`   // as a word
	Detail string `json:"detail"` // what the system answered to the attempt
}

// A Hold is how a thing is kept from a command.
type Hold uint8

// The holds.
const (
	Reached Hold = iota // it is reached
	Undone              // what was done to it is put back when the command has ended
	Held                // it is out of reach
)

func (h Hold) String() string { return [...]string{"open", "undone", "held"}[min(h, 2)] }

// MarshalJSON writes the hold as a word.
func (h Hold) MarshalJSON() ([]byte, error) { return json.Marshal(h.String()) }

// MarshalJSON writes the kind as a word.
func (k Kind) MarshalJSON() ([]byte, error) { return json.Marshal(k.String()) }

// about are the things, as the supervisor's attempts name them, in order.
var about = []struct{ name, text string }{
	{"read", "files outside the workspace can't be read"},
	{"write", "files outside the workspace can't be written"},
	{"mode", "modes and times of files outside the workspace can't be changed"},
	{"socket", "sockets in the file system, such as a container service's, can't be reached"},
	{"abstract", "sockets in the abstract namespace can't be reached"},
	{"tcp", "the machine's own TCP services can't be reached"},
	{"udp", "UDP, and so names of hosts, can't be used"},
	{"signal", "other processes can't be sent signals"},
	{"process", "memory and environment of other processes can't be read"},
	{"mount", "nothing can be mounted"},
	{"io_uring", "io_uring, which goes round filters, can't be used"},
	{"hooks", ".git/hooks, .git/config and what is read-only can't be changed"},
	{"deny", "denied files in the workspace can't be read"},
	{"tree", "nothing that a command started outlives it"},
}

// Get returns a thing by its name.
func (l Level) Get(name string) (Thing, bool) {
	for _, t := range l.Things {
		if t.Name == name {
			return t, true
		}
	}
	return Thing{}, false
}

// open returns the things that are not held.
func (l Level) open() []string {
	var names []string
	for _, t := range l.Things {
		if t.Held != Held {
			names = append(names, fmt.Sprintf("%s (%s)", t.Name, t.Detail))
		}
	}
	return names
}

// String says it in a line: "light: landlock 7, seccomp; open: mode, deny; undone: hooks".
func (l Level) String() string {
	by := map[Hold][]string{}
	for _, t := range l.Things {
		by[t.Held] = append(by[t.Held], t.Name)
	}
	s := l.Kind.String()
	if len(l.Means) > 0 {
		s += ": " + strings.Join(l.Means, ", ")
	}
	for _, h := range []Hold{Reached, Undone} {
		if len(by[h]) > 0 {
			s += fmt.Sprintf("; %s: %s", h, strings.Join(by[h], ", "))
		}
	}
	return s
}
