// Package iofault makes the disk of a program under test fail at a call of the
// test's choosing, and keeps what a loss of power would leave.
//
// It works below every library, at the system calls: the program is a child of
// the test that gives up its file calls to it (seccomp's user notification; no
// privilege is needed). For each one the test's process decides whether it goes
// through, fails, or is done in half.
//
//	func TestMain(m *testing.M) {
//		iofault.Serve(func(dir string, seed uint64) any { ... })	// returns unless it is the child
//		os.Exit(m.Run())
//	}
//
//	p := iofault.Start(t)
//	calls := p.Run(t, dir, seed, iofault.Plan{At: 7, Errno: syscall.ENOSPC}, &report)
//
// It is for tests, and for Linux on amd64 and arm64.
package iofault

import "syscall"

// An Op is a kind of call that a plan counts.
type Op uint

const (
	Write    Op = 1 << iota // write, pwrite, copy_file_range
	Truncate                // ftruncate
	Sync                    // fsync, fdatasync of a file; syncfs
	SyncDir                 // fsync of a directory
	Create                  // open with O_CREAT
	Mkdir
	Rename
	Remove
	Times // utimensat and fchmodat
	Read  // read, pread, getdents
	Open  // open without O_CREAT

	// Changes is all calls that change something.
	Changes = Write | Truncate | Sync | SyncDir | Create | Mkdir | Rename | Remove | Times
	// Growth is the calls that a full disk refuses.
	Growth = Write | Truncate | Create | Mkdir
)

// A Plan says which calls below the directory fail. The zero Plan fails none.
type Plan struct {
	Ops   Op            // what is counted
	At    int           // the first call that fails, from 1; 0 for none
	For   int           // how many fail; at least 1
	Errno syscall.Errno // how they fail
	Short bool          // the first one, if it is a write, is done in half

	// CrashAt is the call before which the power goes, from 1, counting Changes; 0
	// for never. What is left then is put into the directory Image, and every later
	// call fails.
	CrashAt int
	Left    Left
	Image   string
}

// Left says what a loss of power leaves of what was not made durable.
type Left int

const (
	Least Left = iota // nothing
	Names             // names of files, but not their contents
	Mixed             // names or none, and a random choice of the blocks of files
)

func (l Left) String() string { return [...]string{"least", "names", "mixed"}[l] }
