//go:build race

package isolate

// overhead is how many times the memory the race detector makes of a program's.
const overhead = 8
