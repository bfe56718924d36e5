//go:build !linux || (!amd64 && !arm64)

package iofault

// Serve returns: there is no child here.
func Serve(func(dir string, seed uint64) any) {}
