package wasm

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"
)

// engines runs fn with a store of each kind of engine.
func engines(t *testing.T, limit int64, fn func(t *testing.T, s *Store)) {
	for name, o := range map[string]*Options{"compiled": nil, "interpreted": {Interpret: true}, "interruptible": {Interruptible: true}} {
		t.Run(name, func(t *testing.T) {
			e := NewEngine(o)
			defer e.Close()
			fn(t, e.NewStore(limit))
		})
	}
}

func module(t testing.TB, s *Store, w *builder) *Module {
	t.Helper()
	m, err := s.Compile(w.binary())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func instance(t testing.TB, s *Store, m *Module, imports ...Extern) *Instance {
	t.Helper()
	inst, err := s.Instantiate(m, imports)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

func callFunc(t testing.TB, x Extern, args ...uint64) uint64 {
	t.Helper()
	f := x.(*Func)
	stack := make([]uint64, max(f.Type.Slots(), 1))
	copy(stack, args)
	if err := f.Call(stack); err != nil {
		t.Fatal(err)
	}
	return stack[0]
}

var i32 = FuncType{nil, []ValType{I32}}

// constant adds a function without parameters that returns n.
func (w *builder) constant(typ uint32, n byte) { w.fn(typ, opI32Const, n) }

// sharer is a module that imports a function and a table, puts both its own
// function and the imported one into the table, and exports its own.
func sharer() *builder {
	var w builder
	typ := w.typ(i32)
	w.imp("", "f", FuncKind, func(b []byte) []byte { return appendU32(b, typ) })
	w.imp("", "t", TableKind, func(b []byte) []byte { return appendTable(b, TableType{Elem: FuncRef}) })
	w.constant(typ, 11)
	w.constant(typ, 12)
	w.export("own", FuncKind, 1)
	w.fill(3) // the imported one, own, and one that is not exported
	return &w
}

// TestReferences guards how references to functions are read.
func TestReferences(t *testing.T) {
	engines(t, 0, func(t *testing.T, s *Store) {
		var w builder
		w.constant(w.typ(FuncType{[]ValType{I64}, nil}), 0) // of another type, which does not fit
		if _, err := s.Compile(w.binary()); err == nil {
			t.Fatal("a wrong body compiles")
		}
		w = builder{}
		typ := w.typ(i32)
		w.constant(typ, 1)
		w.constant(typ, 2)
		w.export("one", FuncKind, 0)
		w.export("two", FuncKind, 1)
		lib := instance(t, s, module(t, s, &w))
		table, err := s.NewTable(TableType{FuncRef, Limits{Min: 5}})
		if err != nil {
			t.Fatal(err)
		}
		two := lib.Exports[1].(*Func)
		inst := instance(t, s, module(t, s, sharer()), two, table)
		host := HostFunc(func(stack []uint64) { stack[0] = 33 })
		other, _ := s.NewTable(TableType{FuncRef, Limits{Min: 5}})
		instance(t, s, module(t, s, sharer()), host, other)
		get := func(tab *Table, i uint32) *Func {
			ref, ok := tab.Get(i)
			if !ok {
				t.Fatalf("no element %d", i)
			}
			f, err := tab.Func(ref)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		for i, want := range []uint64{2, 11, 12} {
			if got := callFunc(t, get(table, uint32(i))); got != want {
				t.Errorf("element %d returns %d, want %d", i, got, want)
			}
			if first, again := get(table, uint32(i)), get(table, uint32(i)); first != again {
				t.Errorf("element %d is not itself", i)
			}
		}
		if get(table, 1) != inst.Exports[0] {
			t.Error("an exported function is another in the table")
		}
		if got := callFunc(t, get(other, 0)); got != 33 {
			t.Errorf("a function of the host returns %d", got)
		}
		if get(table, 3) != nil {
			t.Error("null is a function")
		}
		ref, err := s.Ref(two)
		if err != nil || !table.Set(4, ref) {
			t.Fatal(err)
		}
		if got := get(table, 4); callFunc(t, got) != 2 {
			t.Error("not the function that was set")
		}
		// What was found in a table can be imported.
		again := instance(t, s, module(t, s, sharer()), get(table, 2), other)
		if got := callFunc(t, get(other, 0)); got != 12 || again == nil {
			t.Errorf("imported from a table: %d", got)
		}
	})
}

// TestSharedMemory has importers of a memory go, which must not take it along.
func TestSharedMemory(t *testing.T) {
	engines(t, 1<<20, func(t *testing.T, s *Store) {
		var w builder
		w.imp("", "m", MemoryKind, func(b []byte) []byte { return appendLimits(b, Limits{}) })
		m := module(t, s, &w)
		mem, err := s.NewMemory(Limits{Min: 1, Max: 100, HasMax: true})
		if err != nil {
			t.Fatal(err)
		}
		grown := 0
		mem.Grown = func() { grown++ }
		for range 50 {
			instance(t, s, m, mem)
		}
		for range 5 {
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
		}
		mem.Bytes()[7] = 9
		if before, ok := mem.Grow(2); before != 1 || !ok || grown != 1 || mem.Pages() != 3 || mem.Bytes()[7] != 9 {
			t.Error(before, ok, grown, mem.Pages())
		}
		if _, ok := mem.Grow(20); ok {
			t.Error("grown beyond the store's limit")
		}
		if _, ok := mem.Grow(1 << 30); ok || mem.Pages() != 3 {
			t.Error("grown beyond all limits")
		}
	})
}

// TestInstancesGo makes more instances than there is room for at once, each held by its own
// imports, as instances are in JavaScript.
func TestInstancesGo(t *testing.T) {
	engines(t, 4<<20, func(t *testing.T, s *Store) {
		var w builder
		typ := w.typ(FuncType{})
		w.imp("", "f", FuncKind, func(b []byte) []byte { return appendU32(b, typ) })
		w.memories.add(func(b []byte) []byte { return appendLimits(b, Limits{Min: 16}) })
		w.tables.add(func(b []byte) []byte { return appendTable(b, TableType{FuncRef, Limits{Min: 1}}) })
		w.fn(typ)
		w.export("f", FuncKind, 1)
		w.export("memory", MemoryKind, 0)
		w.export("t", TableKind, 0)
		w.fill(2)
		w.elems = list{}
		m := module(t, s, &w)
		var first weak.Pointer[Instance]
		for i := range 40 {
			var inst *Instance
			inst = instance(t, s, m, HostFunc(func([]uint64) { runtime.KeepAlive(inst) }))
			callFunc(t, inst.Exports[0])
			inst.Exports[2].(*Table).Get(0)
			if i == 0 {
				first = weak.Make(inst)
			}
		}
		if first.Value() != nil {
			t.Error("the first instance is there still")
		}
	})
}

func TestOutcomes(t *testing.T) {
	engines(t, 16<<20, func(t *testing.T, s *Store) {
		var w builder
		void := w.typ(FuncType{})
		w.imp("", "f", FuncKind, func(b []byte) []byte { return appendU32(b, void) })
		w.fn(void, opUnreachable)
		w.fn(void, 0x10, 2) // calls itself
		w.fn(void, 0x10, 0)
		for i, name := range []string{"trap", "deep", "host"} {
			w.export(name, FuncKind, uint32(i+1))
		}
		boom := errors.New("boom")
		inst := instance(t, s, module(t, s, &w), HostFunc(func([]uint64) { panic(boom) }))
		for i, want := range []string{"wasm: unreachable", "wasm: Maximum call stack size exceeded", "wasm: a host function panicked"} {
			for range 2 { // the function can be called again
				if err := inst.Exports[i].(*Func).Call(nil); err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		}
		var u *Unwound
		if err := inst.Exports[2].(*Func).Call(nil); !errors.As(err, &u) || u.Value != boom {
			t.Error("not what the host function panicked with")
		}
	})
}

func TestInterrupt(t *testing.T) {
	e := NewEngine(&Options{Interruptible: true})
	defer e.Close()
	s := e.NewStore(0)
	var w builder
	w.fn(w.typ(FuncType{}), opLoop, 0x40, 0x0c, 0, opEnd)
	// f(n) { if (n) { f(n - 1); f(n - 1) } }
	w.fn(w.typ(FuncType{[]ValType{I32}, nil}), opLocalGet, 0, 0x04, 0x40, opLocalGet, 0, opI32Const, 1, 0x6b, 0x10, 1, opLocalGet, 0, opI32Const, 1, 0x6b, 0x10, 1, opEnd)
	w.export("loop", FuncKind, 0)
	w.export("recursion", FuncKind, 1)
	inst := instance(t, s, module(t, s, &w))
	f := inst.Exports[1].(*Func)
	if err := f.Call([]uint64{10}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, s.Interrupt)
	for range 2 {
		if err := f.Call([]uint64{60}); err != ErrInterrupted {
			t.Error(err)
		}
		if err := inst.Exports[0].(*Func).Call(nil); err != ErrInterrupted {
			t.Error(err)
		}
	}
}

func TestTooMuch(t *testing.T) {
	engines(t, 8<<20, func(t *testing.T, s *Store) {
		for name, edit := range map[string]func(w *builder){
			"memory": func(w *builder) {
				w.memories.add(func(b []byte) []byte { return appendLimits(b, Limits{Min: 1000}) })
			},
			"table": func(w *builder) {
				w.tables.add(func(b []byte) []byte { return appendTable(b, TableType{FuncRef, Limits{Min: 5_000_000}}) })
			},
		} {
			var w builder
			edit(&w)
			if _, err := s.Instantiate(module(t, s, &w), nil); err != ErrMemory {
				t.Errorf("%s: %v", name, err)
			}
		}
		var w builder
		w.tables.add(func(b []byte) []byte { return appendTable(b, TableType{FuncRef, Limits{Min: 1 << 31}}) })
		if _, err := s.Compile(w.binary()); err == nil || !strings.Contains(err.Error(), "larger than implementation limit") {
			t.Error(err)
		}
		if _, err := s.NewTable(TableType{ExternRef, Limits{Min: 9_000_000}}); err != ErrMemory {
			t.Error(err)
		}
		if _, err := s.NewMemory(Limits{Min: 60000}); err != ErrMemory {
			t.Error(err)
		}
		if _, err := s.Compile(make([]byte, maxBinary+1)); err == nil {
			t.Error("a module of any size is compiled")
		}
		tab, err := s.NewTable(TableType{FuncRef, Limits{Min: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tab.Grow(MaxTable, 0); ok {
			t.Error("a table of any size")
		}
	})
}

// FuzzCompile has binaries of any kind compiled and run: an error or not, but no panic.
func FuzzCompile(f *testing.F) {
	files, _ := filepath.Glob("../webapi/testdata/wasm/*.wasm")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(sharer().binary())
	e := NewEngine(nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		s := e.NewStore(8 << 20)
		m, err := s.Compile(b)
		if err != nil || len(m.Imports) > 0 {
			return
		}
		for i := range b {
			if b[i] == 0x03 || b[i] == 0x08 || b[i] == 0x10 { // it may loop, or start
				return
			}
		}
		s.Instantiate(m, nil)
	})
}
