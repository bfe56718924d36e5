package wasm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"
	"weak"

	"github.com/tetratelabs/wazero/api"
)

// A reference to a function is, in wazero, the address of a description of it. Two references
// can name one function. wazero's own way to look a function up by its reference
// mistakes one that an instance has imported, so the description is read here, and the
// function is called by WebAssembly code of our own. TestReferences guards the shapes,
// and the version of wazero is pinned with it.

// compiledRef is the description in the compiler.
type compiledRef struct {
	code uintptr
	mod  uintptr
	typ  uint32
}

// interpretedRef is the description in the interpreter.
type interpretedRef struct {
	_    uintptr
	mod  uintptr
	typ  uint32
	code uintptr
}

// A refKey is equal for references to one function of a store.
type refKey struct{ code, mod uintptr }

// describe reads a description.
func (s *Store) describe(ref uint64) (key refKey, typ uint32) {
	if s.interpreted {
		d := *(**interpretedRef)(unsafe.Pointer(&ref))
		return refKey{d.code, d.mod}, d.typ
	}
	d := *(**compiledRef)(unsafe.Pointer(&ref))
	return refKey{d.code, d.mod}, d.typ
}

// see notes whether the interpreter runs functions of the store, as it does fn.
func (s *Store) see(fn api.Function) api.Function {
	if !s.seen {
		s.seen, s.interpreted = true, strings.HasPrefix(fmt.Sprintf("%T", fn), "*interpreter.")
	}
	return fn
}

// A typeInfo is a signature that modules of the store have.
type typeInfo struct {
	typ FuncType
	mod api.Module // its export "call" takes a reference and parameters, and calls the function
}

// learn notes the signatures of a module.
func (s *Store) learn(types []FuncType) {
	for i := range types {
		if k := types[i].key(); s.types[k] == nil {
			s.types[k] = &typeInfo{typ: types[i]}
			s.unknown = append(s.unknown, s.types[k])
		}
	}
}

// references instantiates a module that fills its table t with functions, and returns
// the references in it.
func (s *Store) references(w *builder, n uint32, resolve func(string) api.Module) ([]uint64, api.Module, error) {
	w.tables.add(func(b []byte) []byte { return appendTable(b, TableType{FuncRef, Limits{Min: n}}) })
	w.export("t", TableKind, 0)
	w.fill(n)
	code, err := s.small(w)
	if err != nil {
		return nil, nil, err
	}
	defer code.Close(s.ctx)
	mod, err := s.start(code, resolve, nil)
	if err != nil {
		return nil, nil, err
	}
	t := &Table{Type: TableType{Elem: FuncRef}, store: s, mod: mod, name: "t"}
	refs := make([]uint64, n)
	for i := range refs {
		if refs[i], err = t.do(&t.get, uint64(i), 0); err != nil {
			return nil, nil, err
		}
	}
	mod.Close(s.ctx)
	return refs, mod, nil
}

// typeOf returns the signature whose number in the store is id.
func (s *Store) typeOf(id uint32) (*typeInfo, error) {
	if info := s.byID[id]; info != nil {
		return info, nil
	}
	if len(s.unknown) > 0 {
		var w builder
		for _, info := range s.unknown {
			w.fn(w.typ(info.typ), opUnreachable)
		}
		refs, _, err := s.references(&w, uint32(len(s.unknown)), nil)
		if err != nil {
			return nil, err
		}
		for i, info := range s.unknown {
			_, typ := s.describe(refs[i])
			s.byID[typ] = info
		}
		s.unknown = nil
	}
	if info := s.byID[id]; info != nil {
		return info, nil
	}
	return nil, errors.New("wasm: a function of an unknown type")
}

// trampoline makes the module that calls functions of the type by reference.
func (s *Store) trampoline(info *typeInfo) error {
	if info.mod != nil {
		return nil
	}
	var w builder
	target := w.typ(info.typ)
	own := w.typ(FuncType{append([]ValType{FuncRef}, info.typ.Params...), info.typ.Results})
	w.tables.add(func(b []byte) []byte { return appendTable(b, TableType{FuncRef, Limits{Min: 1}}) })
	body := []byte{opI32Const, 0, opLocalGet, 0, opTableSet, 0}
	for i := range info.typ.Params {
		body = appendU32(append(body, opLocalGet), uint32(i+1))
	}
	body = append(appendU32(append(body, opI32Const, 0, opCallIndirect), target), 0)
	w.fn(own, body...)
	w.export("call", FuncKind, 0)
	code, err := s.small(&w)
	if err != nil {
		return err
	}
	info.mod, err = s.start(code, nil, nil)
	return err
}

// references finds the references to the functions that the instance exports.
func (inst *Instance) references() error {
	if inst.byRef != nil {
		return nil
	}
	var w builder
	var fns []*Func
	for _, x := range inst.Exports {
		f, ok := x.(*Func)
		if !ok || f.mod == nil {
			continue
		}
		t := w.typ(f.Type)
		w.imp(strconv.Itoa(len(fns)), f.name, FuncKind, func(b []byte) []byte { return appendU32(b, t) })
		fns = append(fns, f)
	}
	refs, mod, err := inst.store.references(&w, uint32(len(fns)), func(name string) api.Module { n, _ := strconv.Atoi(name); return fns[n].mod })
	if err != nil {
		return err
	}
	inst.byRef, inst.refs = map[refKey]*Func{}, mod
	for i, f := range fns {
		f.key, _ = inst.store.describe(refs[i])
		inst.byRef[f.key] = f
		if f.inst == inst {
			f.ref = refs[i]
		}
	}
	return nil
}

// Ref returns a reference to a function, as it would stand in a stack. Since it
// may then go anywhere, the function's instance stays as long as the store.
func (s *Store) Ref(f *Func) (uint64, error) {
	if f.table != nil {
		for _, inst := range f.table.around() {
			s.pinned[inst] = true
		}
		return f.ref, nil
	}
	if f.inst == nil { // it came out of code whose instance is pinned
		return f.ref, nil
	}
	s.pinned[f.inst] = true
	if f.ref == 0 {
		if err := f.inst.references(); err != nil {
			return 0, err
		}
	}
	return f.ref, nil
}

// Func returns the function that a reference names which came out of a call or a global;
// nil for null.
func (s *Store) Func(ref uint64) (*Func, error) {
	if ref == 0 {
		return nil, nil
	}
	key, _ := s.describe(ref)
	if f := s.byRef[key]; f != nil {
		return f, nil
	}
	var all []*Instance
	for inst := range s.pinned {
		if inst.mod != nil {
			all = append(all, inst)
		}
	}
	f, err := s.find(all, ref)
	if err == nil {
		s.byRef[key] = f
	}
	return f, err
}

// find returns the function that a reference names, which is probably one of some instances.
func (s *Store) find(about []*Instance, ref uint64) (*Func, error) {
	for _, inst := range about {
		if inst.mod == nil { // its start function runs
			continue
		}
		if err := inst.references(); err != nil {
			return nil, err
		}
	}
	key, typ := s.describe(ref)
	for _, inst := range about {
		if f := inst.byRef[key]; f != nil {
			return f, nil
		}
	}
	info, err := s.typeOf(typ)
	if err != nil {
		return nil, err
	}
	if err := s.trampoline(info); err != nil {
		return nil, err
	}
	s.found++
	return &Func{Type: info.typ, Index: s.found - 1, store: s, ref: ref, key: key, tramp: info}, nil
}

// addHolder notes something that can hold references to values of the host.
func (s *Store) addHolder(h *holder) {
	if len(h.tables)+len(h.globals) > 0 {
		s.holders = append(s.holders, weak.Make(h))
	}
}

// HostRefs calls fn with every reference to a value of the host that tables and globals
// hold. While code runs it may hold others.
func (s *Store) HostRefs(fn func(ref uint64)) {
	live := s.holders[:0]
	for _, w := range s.holders {
		h := w.Value()
		if h == nil {
			continue
		}
		live = append(live, w)
		for _, t := range h.tables {
			for i := range t.Len() {
				if ref, ok := t.Get(i); ok && ref != 0 {
					fn(ref)
				}
			}
		}
		for _, g := range h.globals {
			if ref := g.Get(); ref != 0 {
				fn(ref)
			}
		}
	}
	s.holders = live
}
