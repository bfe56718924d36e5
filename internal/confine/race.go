//go:build race

package confine

// raced: the race detector maps more memory of its own than any limit of data would let it.
const raced = true
