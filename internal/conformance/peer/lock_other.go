//go:build !unix

package peer

// lockFile does nothing here: run one package at a time.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }
