package task

import (
	"context"
	"io"

	"samkit.dev/wasi"
)

// A Backend runs commands for tasks. It is safe for concurrent use.
type Backend interface {
	// Name is what reports call it: "virtual".
	Name() string
	// Run runs one command, which the policy permits, and returns when it and all that it has
	// started have ended, which they do when ctx does. A code other than
	// zero is no error; the error says that the command could not be run or watched.
	Run(ctx context.Context, c *Command) (Outcome, error)
}

// A Command is what a Backend runs. It is valid until Run returns.
type Command struct {
	Run            string   // the run's ID
	Argv           []string // never empty
	Dir            string   // within the ground, such as "src"; "" is its root
	Env            []string // "NAME=value"; a backend adds what processes need, and nothing of the program's own
	Stdin          io.Reader
	Stdout, Stderr io.Writer // safe to write to from several goroutines
	Policy         Policy    // Writable is that of the stage

	// Files are the task's files. What is written through them is checked at once.
	Files wasi.Files
	// Checkout returns a directory that holds the files, for backends with processes. It is made
	// when it is first asked for, and stays for the run. What the command changed there
	// is looked at after Run: what the policy permits is taken, all else put back and told
	// as refused.
	Checkout func(ctx context.Context) (dir string, err error)
}

// An Outcome is how a command ended.
type Outcome struct {
	Code    int
	Refused []Refusal // what the backend did not let it do
}
