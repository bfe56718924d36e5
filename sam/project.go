package sam

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"
)

// A ConflictError is an ErrConflict about one file.
type ConflictError struct {
	Name string
	Hash string // of the current contents; "" if there are none
}

func (e *ConflictError) Error() string { return fmt.Sprintf("sam: %s has changed", e.Name) }

// Is reports whether target is ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// A LimitError reports the limit that a write would exceed.
type LimitError struct {
	Limit string // the field of Limits
	Max   int64
}

func (e *LimitError) Error() string { return fmt.Sprintf("sam: over %s limit of %d", e.Limit, e.Max) }

// A File describes a file of a project.
type File struct {
	Name    string
	Size    int64
	Hash    string // SHA-256 in hex
	ModTime time.Time
}

// IsText reports whether an editor should open a file with these contents.
func IsText(name string, head []byte) bool { panic("skeleton") }

// A Project is one app. It is safe for concurrent use.
type Project struct{ _ int }

// ID returns the project's name in its workspace.
func (p *Project) ID() ProjectID { panic("skeleton") }

// ReadFile returns the contents of a file.
func (p *Project) ReadFile(ctx context.Context, name string) ([]byte, error) { panic("skeleton") }

// Stat describes a file.
func (p *Project) Stat(ctx context.Context, name string) (File, error) { panic("skeleton") }

// Files yields the files below prefix, in order.
func (p *Project) Files(ctx context.Context, prefix string) iter.Seq2[File, error] {
	panic("skeleton")
}

// FS is a read-only view of this moment. It uses ctx for every read.
func (p *Project) FS(ctx context.Context) fs.FS { panic("skeleton") }

// WriteFile replaces a file. To write only over known contents use Apply.
func (p *Project) WriteFile(ctx context.Context, name string, data []byte) error {
	panic("skeleton")
}

// An Edit changes one file. Exactly one of Data, Rename and Remove is used.
type Edit struct {
	Name   string
	Data   []byte
	Rename string // the new name
	Remove bool
	IfHash string // the expected hash; "" expects no file, "*" expects nothing
}

// Apply makes all edits or none. The error may be a [*ConflictError].
func (p *Project) Apply(ctx context.Context, edits ...Edit) error { panic("skeleton") }

// Watch yields the files that commits touch, until ctx ends.
func (p *Project) Watch(ctx context.Context) iter.Seq2[File, error] { panic("skeleton") }

// A Checkpoint is a moment that can be restored.
type Checkpoint struct {
	ID    string
	Label string
	By    string // person, agent or task
	Time  time.Time
	Parts Parts
}

// Checkpoint records the files, and the state that parts names, of one moment.
func (p *Project) Checkpoint(ctx context.Context, label string, parts Parts) (Checkpoint, error) {
	panic("skeleton")
}

// Checkpoints yields the checkpoints, newest first.
func (p *Project) Checkpoints(ctx context.Context) iter.Seq2[Checkpoint, error] { panic("skeleton") }

// Restore makes the project what it was, removing what came after, in one
// commit. It returns a checkpoint of the state it replaced.
func (p *Project) Restore(ctx context.Context, id string, parts Parts) (Checkpoint, error) {
	panic("skeleton")
}

// Export writes a .sam package. Equal projects give equal bytes.
func (p *Project) Export(ctx context.Context, w io.Writer, parts Parts) error { panic("skeleton") }

// A State is where kv and sqlshim keep a project's data: small values in the
// Space, those over MaxValue in Blobs, by hash.
type State struct {
	Space Space
	Blobs Blobs
}

// State returns the project's state.
func (p *Project) State() State { panic("skeleton") }

// Secrets returns the project's secrets.
func (p *Project) Secrets() *Secrets { panic("skeleton") }

// Secrets are sealed values that only the project's functions.js reads.
type Secrets struct{ _ int }

// Set seals a value, or removes it if value is "".
func (s *Secrets) Set(ctx context.Context, name, value string) error { panic("skeleton") }

// Names lists the secrets.
func (s *Secrets) Names(ctx context.Context) ([]string, error) { panic("skeleton") }

// Value unseals one. It is for the engine; no sandboxed code reaches it.
func (s *Secrets) Value(ctx context.Context, name string) (string, error) { panic("skeleton") }
