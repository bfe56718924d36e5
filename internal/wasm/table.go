package wasm

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero/api"
)

// A Table is a table of references.
type Table struct {
	Type  TableType
	Value any // for whoever uses the package

	store  *Store
	inst   *Instance   // that made it, or nil
	shared []*Instance // that import it: its functions may be theirs
	mod    api.Module
	name   string

	helper               api.Module
	get, set, grow, size api.Function
	words                [2]uint64
	hold                 *holder
	byRef                map[refKey]*Func // found in it
}

// NewTable returns a table that no instance has made, of null references.
func (s *Store) NewTable(t TableType) (*Table, error) {
	if !s.reserve(tableBytes(t.Min)) {
		return nil, ErrMemory
	}
	var w builder
	w.tables.add(func(b []byte) []byte { return appendTable(b, bounded(t)) })
	w.export("0", TableKind, 0)
	code, err := s.small(&w)
	if err != nil {
		return nil, err
	}
	mod, err := s.start(code, nil, nil)
	if err != nil {
		return nil, err
	}
	tab := &Table{Type: t, store: s, mod: mod, name: "0"}
	taken := &charge{used: s.used}
	taken.n.Store(tableBytes(t.Min))
	runtime.AddCleanup(tab, func(c *charge) { c.used.Add(-c.n.Load()) }, taken)
	if t.Elem == ExternRef {
		tab.hold = &holder{tables: []*Table{tab}}
		s.addHolder(tab.hold)
	}
	s.closeWith(tab, mod, code)
	return tab, nil
}

// help makes the functions that work on the table, which wazero has none for.
func (t *Table) help() error {
	if t.helper != nil {
		return nil
	}
	s := t.store
	key := string(rune(t.Type.Elem)) + t.name
	code := s.helpers[key]
	if code == nil {
		var w builder
		elem := t.Type.Elem
		get := w.typ(FuncType{[]ValType{I32}, []ValType{elem}})
		set := w.typ(FuncType{[]ValType{I32, elem}, nil})
		grow := w.typ(FuncType{[]ValType{elem, I32}, []ValType{I32}})
		size := w.typ(FuncType{nil, []ValType{I32}})
		w.imp("t", t.name, TableKind, func(b []byte) []byte { return appendTable(b, TableType{Elem: elem}) })
		w.fn(get, opLocalGet, 0, opTableGet, 0)
		w.fn(set, opLocalGet, 0, opLocalGet, 1, opTableSet, 0)
		w.fn(grow, opLocalGet, 0, opLocalGet, 1, opPrefix, opTableGrow, 0)
		w.fn(size, opPrefix, opTableSize, 0)
		for i, name := range []string{"get", "set", "grow", "size"} {
			w.export(name, FuncKind, uint32(i))
		}
		var err error
		if code, err = s.small(&w); err != nil {
			return err
		}
		s.helpers[key] = code
	}
	mod, err := s.start(code, func(string) api.Module { return t.mod }, nil)
	if err != nil {
		return fmt.Errorf("wasm: the functions of a table: %w", err)
	}
	runtime.AddCleanup(t, func(m api.Module) { m.Close(context.Background()) }, mod)
	t.helper = mod
	t.get, t.set, t.grow, t.size = s.see(mod.ExportedFunction("get")), mod.ExportedFunction("set"), mod.ExportedFunction("grow"), mod.ExportedFunction("size")
	return nil
}

// do calls one of the functions of help, with two words at most.
func (t *Table) do(fn *api.Function, a, b uint64) (uint64, error) {
	if err := t.help(); err != nil {
		return 0, err
	}
	t.words[0], t.words[1] = a, b
	if err := (*fn).CallWithStack(t.store.ctx, t.words[:]); err != nil {
		return 0, t.store.outcome(err)
	}
	return t.words[0], nil
}

// Len returns the number of elements.
func (t *Table) Len() uint32 {
	n, err := t.do(&t.size, 0, 0)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// Get returns an element as it would stand in a stack, or false if there is none at i.
func (t *Table) Get(i uint32) (ref uint64, ok bool) {
	ref, err := t.do(&t.get, uint64(i), 0)
	return ref, err == nil
}

// Set sets an element, and reports whether there is one at i.
func (t *Table) Set(i uint32, ref uint64) bool {
	_, err := t.do(&t.set, uint64(i), ref)
	return err == nil
}

// Grow adds elements, and returns how many there were.
func (t *Table) Grow(delta uint32, ref uint64) (before uint32, ok bool) {
	before = t.Len()
	most := uint64(MaxTable)
	if t.Type.HasMax {
		most = min(most, uint64(t.Type.Max))
	}
	if uint64(before)+uint64(delta) > most {
		return before, false
	}
	n, err := t.do(&t.grow, ref, uint64(delta))
	return before, err == nil && int32(n) >= 0
}

// around are the instances that have the table.
func (t *Table) around() []*Instance {
	if t.inst == nil {
		return t.shared
	}
	return append([]*Instance{t.inst}, t.shared...)
}

// Func returns the function that a reference from the table names, or nil for null.
func (t *Table) Func(ref uint64) (*Func, error) {
	if ref == 0 {
		return nil, nil
	}
	if err := t.help(); err != nil {
		return nil, err
	}
	key, _ := t.store.describe(ref)
	if f := t.byRef[key]; f != nil {
		return f, nil
	}
	if f := t.store.byRef[key]; f != nil {
		return f, nil
	}
	f, err := t.store.find(t.around(), ref)
	if err != nil {
		return nil, err
	}
	if f.tramp != nil {
		f.table = t
		if t.byRef == nil {
			t.byRef = map[refKey]*Func{}
		}
		t.byRef[key] = f
	}
	return f, nil
}
