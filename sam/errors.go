package sam

import "fmt"

// A ConflictError is an [ErrConflict] about one file.
type ConflictError struct {
	Name string
	Hash string // of the current contents; "" if there are none
}

func (e *ConflictError) Error() string {
	if e.Hash == "" {
		return fmt.Sprintf("sam: %q does not exist as expected", e.Name)
	}
	return fmt.Sprintf("sam: %q has changed; its hash is now %s", e.Name, e.Hash)
}

// Is reports whether target is ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// A LimitError reports the limit that a write would exceed.
type LimitError struct {
	Limit string // the field of Limits or of the options of package sqlshim, or "Secrets", "SecretBytes", "RowsRead" or "RowsWritten"
	Max   int64
	Name  string // the file that is too large, or ""
}

func (e *LimitError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("sam: %q is over the %s limit of %d", e.Name, e.Limit, e.Max)
	}
	return fmt.Sprintf("sam: over the %s limit of %d", e.Limit, e.Max)
}

// Limits bounds a project. Zero fields mean the defaults given. What is over a
// limit already, by edits outside, can be read and made smaller.
type Limits struct {
	Files        int   // 10,000
	FileBytes    int64 // 64 MiB
	ProjectBytes int64 // of all files; 256 MiB
	StateBytes   int64 // KV and DB together; 1 GiB
	KVBytes      int64 // of all KV namespaces; 1 GiB
	KVKeys       int64 // of all KV namespaces; 1,000,000
	Checkpoints  int   // 1,000
	HistoryBytes int64 // that checkpoints keep, what the project has now included; 1 GiB
}

func (l Limits) orDefaults() Limits {
	if l.Files <= 0 {
		l.Files = 10_000
	}
	if l.FileBytes <= 0 {
		l.FileBytes = 64 << 20
	}
	if l.ProjectBytes <= 0 {
		l.ProjectBytes = 256 << 20
	}
	if l.StateBytes <= 0 {
		l.StateBytes = 1 << 30
	}
	if l.KVBytes <= 0 {
		l.KVBytes = 1 << 30
	}
	if l.KVKeys <= 0 {
		l.KVKeys = 1_000_000
	}
	if l.Checkpoints <= 0 {
		l.Checkpoints = 1000
	}
	if l.HistoryBytes <= 0 {
		l.HistoryBytes = 1 << 30
	}
	return l
}
