package wasm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"weak"

	"github.com/tetratelabs/wazero/api"
)

// link makes the module that inst imports everything from.
func (s *Store) link(inst *Instance) (api.Module, error) {
	if len(inst.imports) == 0 {
		return nil, nil
	}
	hosts, err := s.hostModule(inst)
	if err != nil {
		return nil, err
	}
	only := true
	for _, x := range inst.imports {
		switch x.(type) {
		case HostFunc, *Memory:
		default:
			only = false
		}
	}
	if only {
		return hosts, nil
	}
	var w builder
	var from []api.Module
	var counts [4]uint32
	for i, x := range inst.imports {
		d := &inst.module.Imports[i].Desc
		index := counts[d.Kind]
		mod, name := hosts, importName(i)
		desc := func(b []byte) []byte { return b }
		switch x := x.(type) {
		case Const: // defined below, behind what is imported
			continue
		case *Memory:
			continue
		case HostFunc:
			t := w.typ(*d.Func)
			desc = func(b []byte) []byte { return appendU32(b, t) }
		case *Func:
			t := w.typ(*d.Func)
			desc = func(b []byte) []byte { return appendU32(b, t) }
			if x.mod != nil {
				mod, name = x.mod, x.name
			}
		case *Table:
			mod, name = x.mod, x.name
			desc = func(b []byte) []byte { return appendTable(b, TableType{Elem: x.Type.Elem}) }
			x.shared = append(x.shared, inst)
		case *Global:
			mod, name = x.mod, x.name
			desc = func(b []byte) []byte { return appendGlobal(b, x.Type) }
		}
		w.imp(strconv.Itoa(len(from)), name, d.Kind, desc)
		from = append(from, mod)
		w.export(importName(i), d.Kind, index)
		counts[d.Kind]++
	}
	for i, x := range inst.imports {
		if c, ok := x.(Const); ok {
			t := inst.module.Imports[i].Global
			w.globals.add(func(b []byte) []byte { return append(appendConst(appendGlobal(b, t), t.Val, uint64(c)), opEnd) })
			w.export(importName(i), GlobalKind, counts[GlobalKind])
			counts[GlobalKind]++
		}
	}
	code, err := s.small(&w)
	if err != nil {
		return nil, err
	}
	defer code.Close(s.ctx)
	mod, err := s.start(code, func(name string) api.Module { n, _ := strconv.Atoi(name); return from[n] }, nil)
	if err != nil {
		return nil, err
	}
	mod.Close(s.ctx) // out of the store's list: who imports from it keeps what it needs
	return mod, nil
}

func appendConst(b []byte, t ValType, v uint64) []byte {
	switch t {
	case I32:
		return appendS64(append(b, opI32Const), int64(int32(v)))
	case I64:
		return appendS64(append(b, opI64Const), int64(v))
	case F32:
		b = append(b, opF32Const)
		for i := range 4 {
			b = append(b, byte(v>>(8*i)))
		}
		return b
	case F64:
		b = append(b, opF64Const)
		for i := range 8 {
			b = append(b, byte(v>>(8*i)))
		}
		return b
	}
	return append(b, opRefNull, byte(t))
}

// hostModule makes the module of the host functions that inst imports. A function that
// stands in a table only is one of them, too. They reach the instance weakly: code of
// the host may hold the instance, and would keep it for ever.
func (s *Store) hostModule(inst *Instance) (api.Module, error) {
	b := s.rt.NewHostModuleBuilder("h")
	self, any := weak.Make(inst), false
	for i, x := range inst.imports {
		d := &inst.module.Imports[i].Desc
		switch x := x.(type) {
		case HostFunc:
			inst.hosts[i] = x
		case *Func:
			if x.mod != nil {
				continue
			}
			inst.hosts[i] = func(stack []uint64) {
				if err := x.Call(stack); err != nil {
					panic(err)
				}
			}
		default:
			continue
		}
		any = true
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
			in := self.Value()
			if in == nil {
				panic(&Trap{Text: "unreachable"})
			}
			call(in.hosts[i], stack)
		}), valTypes(d.Func.Params), valTypes(d.Func.Results)).Export(importName(i))
	}
	if !any {
		return nil, nil
	}
	code, err := b.Compile(s.ctx)
	if err != nil {
		return nil, fmt.Errorf("wasm: the module of host functions: %w", err)
	}
	defer code.Close(s.ctx)
	mod, err := s.start(code, nil, nil)
	if err != nil {
		return nil, err
	}
	mod.Close(s.ctx)
	return mod, nil
}

// call calls a host function, and packs what it panics with.
func call(f HostFunc, stack []uint64) {
	defer func() {
		if x := recover(); x != nil {
			if err, ok := x.(error); ok {
				var u *Unwound
				var t *Trap
				switch { // of WebAssembly code that a host function stands for
				case errors.As(err, &u):
					panic(u)
				case errors.As(err, &t):
					panic(t)
				case errors.Is(err, ErrInterrupted):
					panic(err)
				}
			}
			panic(&Unwound{x})
		}
	}()
	f(stack)
}

func valTypes(list []ValType) []api.ValueType {
	out := make([]api.ValueType, len(list))
	for i, t := range list {
		out[i] = api.ValueType(t)
	}
	return out
}
