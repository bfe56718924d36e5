package sqlshim

import "github.com/ncruces/go-sqlite3"

// A grip holds a connection where its own API does not: it sets how often
// SQLite asks whether to stop, takes its memory away while it runs, and
// releases it when it refuses to close. It gets there as an extension of
// SQLite would.
type grip struct {
	env    *sqlite3.ExtEnv
	memory []byte // all of the address range reserved for the connection
}

// takeHold returns a grip on db.
func takeHold(db *sqlite3.Conn) (*grip, error) {
	g := &grip{}
	//lint:ignore SA1019 the generic method that replaces it needs a newer Go
	err := sqlite3.ExtensionInit(db, func(e *sqlite3.ExtEnv) *grip {
		g.env = e
		buf := e.Memory.Buf
		g.memory = buf[:cap(buf)]
		return g
	}, func() (memSize, memAlign, tableSize, tableAlign int64) { return 0, 1, 0, 1 })
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Xsqlite3_extension_init is called by SQLite's loader.
func (g *grip) Xsqlite3_extension_init(db, _, _ int32) int32 {
	g.env.Xsqlite3_progress_handler_go(db, 100)
	return 0
}

// kill makes the goroutine that runs SQLite panic at its next step.
func (g *grip) kill() { protect(g.memory) }

// release frees the memory and closes the files, in whatever state SQLite is.
func (g *grip) release() error { return g.env.Wrapper.Close() }
