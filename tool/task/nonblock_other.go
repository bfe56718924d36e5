//go:build !unix

package task

// nonblock would not wait for a pipe; there are none here.
const nonblock = 0
