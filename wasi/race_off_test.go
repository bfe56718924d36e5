//go:build !race

package wasi_test

// each has long tables of tests run all rows; see race_on_test.go.
const each = 1
