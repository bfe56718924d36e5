//go:build race

package wasi_test

// each has long tables of tests run one row in so many: the race detector makes them ten times as slow, and
// looks at how goroutines meet, which they do in each row alike.
const each = 6
