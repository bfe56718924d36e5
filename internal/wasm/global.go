package wasm

import (
	"math"

	"github.com/tetratelabs/wazero/api"
)

// A Global is a global.
type Global struct {
	Type  GlobalType
	Fixed bool // to whoever uses the package, though it is mutable to code
	Value any  // for whoever uses the package

	store *Store
	inst  *Instance
	mod   api.Module
	name  string
	g     api.Global
	hold  *holder
}

// NewGlobal returns a global that no instance has made. A reference other than null needs
// Set, so a mutable global.
func (s *Store) NewGlobal(t GlobalType, v uint64) (*Global, error) {
	var w builder
	w.globals.add(func(b []byte) []byte { return append(appendConst(appendGlobal(b, t), t.Val, v), opEnd) })
	w.export("0", GlobalKind, 0)
	code, err := s.small(&w)
	if err != nil {
		return nil, err
	}
	mod, err := s.start(code, nil, nil)
	if err != nil {
		return nil, err
	}
	g := &Global{Type: t, store: s, mod: mod, name: "0", g: mod.ExportedGlobal("0")}
	if t.Val == ExternRef {
		g.hold = &holder{globals: []*Global{g}}
		s.addHolder(g.hold)
	}
	s.closeWith(g, mod, code)
	return g, nil
}

// Get returns the value, as it would stand in a stack.
func (g *Global) Get() uint64 {
	v := g.g.Get()
	if g.Type.Val == I32 || g.Type.Val == F32 {
		v &= math.MaxUint32
	}
	return v
}

// Set changes the value of a mutable global.
func (g *Global) Set(v uint64) {
	if m, ok := g.g.(api.MutableGlobal); ok {
		m.Set(v)
	}
}
