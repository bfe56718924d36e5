//go:build unix

package sqlshim

import "golang.org/x/sys/unix"

// protect makes every access to memory fault. With debug.SetPanicOnFault the
// fault is a panic of the goroutine that meets it.
func protect(memory []byte) { unix.Mprotect(memory, unix.PROT_NONE) }
