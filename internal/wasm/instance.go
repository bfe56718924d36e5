package wasm

import (
	"context"
	"reflect"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// An Instance is an instance of a module.
type Instance struct {
	// Exports are those of the module, in its order.
	Exports []Extern

	store   *Store
	module  *Module
	mod     api.Module
	hosts   []HostFunc // by import
	imports []Extern   // keeps them
	memory  *Memory
	hold    *holder
	byRef   map[refKey]*Func // of its exports, once asked
	refs    api.Module       // holds the references to them
}

// Instantiate makes an instance of m, and runs its start function. imports are one for
// each of m's. The error is a [*LinkError], a [*Trap], [ErrMemory], an [*Unwound] or ErrInterrupted.
func (s *Store) Instantiate(m *Module, imports []Extern) (*Instance, error) {
	for i := range m.Imports {
		if err := fits(&m.Imports[i].Desc, imports[i]); err != "" {
			return nil, &LinkError{i, err}
		}
	}
	inst := &Instance{store: s, module: m, imports: imports, hosts: make([]HostFunc, len(imports))}
	bytes := int64(0)
	if m.memory != nil {
		bytes = int64(m.memory.Min) * PageSize
	}
	if !s.reserve(bytes + m.sizes) {
		return nil, ErrMemory
	}
	tables := &charge{used: s.used}
	tables.n.Store(m.sizes)
	runtime.AddCleanup(inst, func(c *charge) { c.used.Add(-c.n.Load()) }, tables)
	l := s.linear(bytes)
	if m.memory != nil {
		inst.memory = &Memory{Type: *m.memory, store: s, inst: inst}
		l.attach(inst.memory)
	}
	link, err := s.link(inst)
	if err != nil {
		return nil, err
	}
	if m.leaks {
		s.pinned[inst] = true
	}
	s.depth++
	inst.mod, err = s.start(m.code, func(name string) api.Module {
		if name == memoryFrom {
			return inst.importedMemory()
		}
		return link
	}, l)
	s.depth--
	if err != nil {
		// Its functions may stand in a table already, and are called from there.
		s.pinned[inst] = true
		return nil, s.outcome(err)
	}
	inst.export()
	s.closeWith(inst, inst.mod, nil)
	runtime.KeepAlive(inst)
	return inst, nil
}

// closeWith lets a module go when what stands for it is gone.
func (s *Store) closeWith(owner any, mod api.Module, code wazero.CompiledModule) {
	type both struct {
		mod  api.Module
		code wazero.CompiledModule
	}
	imports := false
	if inst, ok := owner.(*Instance); ok {
		imports = inst.module.imported[MemoryKind] > 0
	}
	end := func(b both) {
		if imports {
			keepMemory(b.mod)
		}
		b.mod.Close(context.Background())
		if b.code != nil {
			b.code.Close(context.Background())
		}
	}
	b := both{mod, code}
	switch o := owner.(type) {
	case *Instance:
		runtime.AddCleanup(o, end, b)
	case *Memory:
		runtime.AddCleanup(o, end, b)
	case *Table:
		runtime.AddCleanup(o, end, b)
	case *Global:
		runtime.AddCleanup(o, end, b)
	}
}

// keepMemory makes a module that imports a memory forget it. wazero would take the memory's
// bytes from everybody as it closes the module. TestSharedMemory guards the name.
func keepMemory(mod api.Module) {
	reflect.ValueOf(mod).Elem().FieldByName("MemoryInstance").SetZero()
}

// importedMemory returns the module that made the memory which is imported.
func (inst *Instance) importedMemory() api.Module {
	for _, x := range inst.imports {
		if m, ok := x.(*Memory); ok {
			return m.mod
		}
	}
	return nil
}

// export finds what the instance exports. What it imports and exports again stays what it
// was; the same thing under two names is one.
func (inst *Instance) export() {
	m := inst.module
	var byIndex [4][]Extern // what was imported
	for i := range m.Imports {
		k := m.Imports[i].Kind
		byIndex[k] = append(byIndex[k], inst.imports[i])
	}
	type place struct {
		kind  Kind
		index uint32
	}
	made := map[place]Extern{}
	if inst.memory != nil {
		inst.memory.mod, inst.memory.mem = inst.mod, inst.mod.Memory()
	}
	get := func(e *Export) Extern {
		at := place{e.Kind, e.Index}
		if x := made[at]; x != nil {
			return x
		}
		var x Extern
		if int(e.Index) < len(byIndex[e.Kind]) {
			switch old := byIndex[e.Kind][e.Index].(type) {
			case HostFunc, Const: // become the instance's own
			case *Func:
				if old.mod != nil {
					x = old
				}
			default:
				x = old
			}
		}
		if x == nil {
			x = inst.own(e)
		}
		made[at] = x
		return x
	}
	inst.Exports = make([]Extern, len(m.Exports))
	for i := range m.Exports {
		inst.Exports[i] = get(&m.Exports[i])
	}
	inst.hold = &holder{}
	for i, t := range m.tables {
		if t.Elem == ExternRef {
			e := Export{hidden(TableKind, uint32(i)), uint32(i), Desc{Kind: TableKind, Table: t}}
			inst.hold.tables = append(inst.hold.tables, get(&e).(*Table))
		}
	}
	for i, g := range m.globals {
		if g.Val == ExternRef {
			e := Export{hidden(GlobalKind, uint32(i)), uint32(i), Desc{Kind: GlobalKind, Global: g}}
			inst.hold.globals = append(inst.hold.globals, get(&e).(*Global))
		}
	}
	inst.store.addHolder(inst.hold)
}

// hostAt returns the function of the host that is the module's function i, or nil.
func (inst *Instance) hostAt(i uint32) HostFunc {
	for n := range inst.module.Imports {
		if inst.module.Imports[n].Kind != FuncKind {
			continue
		}
		if i == 0 {
			return inst.hosts[n]
		}
		i--
	}
	return nil
}

// own returns something that the instance itself made.
func (inst *Instance) own(e *Export) Extern {
	s := inst.store
	switch e.Kind {
	case FuncKind:
		return &Func{Type: *e.Func, Index: e.Index, store: s, inst: inst, mod: inst.mod, name: e.Name, host: inst.hostAt(e.Index)}
	case TableKind:
		return &Table{Type: e.Table, store: s, inst: inst, mod: inst.mod, name: e.Name}
	case MemoryKind:
		return inst.memory
	}
	return &Global{Type: e.Global, store: s, inst: inst, mod: inst.mod, name: e.Name, g: inst.mod.ExportedGlobal(e.Name)}
}
