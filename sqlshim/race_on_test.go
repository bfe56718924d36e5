//go:build race

package sqlshim

import "time"

// slack is what a busy machine and the race detector may add: between two
// looks at the clock SQLite does a fixed amount of work, which now takes longer.
const slack = 3 * time.Second
