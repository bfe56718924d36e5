//go:build !race

package sqlshim

import "time"

// slack is what a busy machine may add.
const slack = 400 * time.Millisecond
