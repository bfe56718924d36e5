//go:build !race

package isolate

// overhead is 1 but for programs built with the race detector.
const overhead = 1
