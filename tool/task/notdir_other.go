//go:build !unix

package task

import "io/fs"

// errNotDir is what a name below a file gives.
var errNotDir error = fs.ErrNotExist
