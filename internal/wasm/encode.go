package wasm

import "strconv"

// The binary format, written.

func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte { return append(appendU32(b, uint32(len(s))), s...) }

func appendValTypes(b []byte, list []ValType) []byte {
	b = appendU32(b, uint32(len(list)))
	for _, t := range list {
		b = append(b, byte(t))
	}
	return b
}

func appendLimits(b []byte, l Limits) []byte {
	if l.HasMax {
		return appendU32(appendU32(append(b, 1), l.Min), l.Max)
	}
	return appendU32(append(b, 0), l.Min)
}

func appendTable(b []byte, t TableType) []byte {
	return appendLimits(append(b, byte(t.Elem)), t.Limits)
}

func appendGlobal(b []byte, g GlobalType) []byte {
	m := byte(0)
	if g.Mutable {
		m = 1
	}
	return append(b, byte(g.Val), m)
}

func appendSection(b []byte, id byte, body []byte) []byte {
	b = append(b, id)
	return append(appendU32(b, uint32(len(body))), body...)
}

// A builder writes a small module of our own.
type builder struct {
	types, imports, funcs, tables, memories, globals, exports, elems, code list
}

// A list is the content of a section that is one.
type list struct {
	n uint32
	b []byte
}

func (l *list) add(f func(b []byte) []byte) uint32 {
	l.b = f(l.b)
	l.n++
	return l.n - 1
}

func (w *builder) typ(t FuncType) uint32 {
	return w.types.add(func(b []byte) []byte { return appendValTypes(appendValTypes(append(b, 0x60), t.Params), t.Results) })
}

// imp imports what the desc says; that of a function is its type's index.
func (w *builder) imp(module, name string, kind Kind, desc func(b []byte) []byte) {
	w.imports.add(func(b []byte) []byte { return desc(append(appendName(appendName(b, module), name), byte(kind))) })
}

func (w *builder) export(name string, kind Kind, index uint32) {
	w.exports.add(func(b []byte) []byte { return appendU32(append(appendName(b, name), byte(kind)), index) })
}

// fn adds a function without locals.
func (w *builder) fn(typ uint32, body ...byte) {
	w.funcs.add(func(b []byte) []byte { return appendU32(b, typ) })
	w.code.add(func(b []byte) []byte {
		b = appendU32(b, uint32(len(body)+2))
		return append(append(append(b, 0), body...), opEnd)
	})
}

// fill makes the elements of table 0 the functions from index 0 on.
func (w *builder) fill(n uint32) {
	w.elems.add(func(b []byte) []byte {
		b = appendU32(append(b, 0, opI32Const, 0, opEnd), n)
		for i := range n {
			b = appendU32(b, i)
		}
		return b
	})
}

func (w *builder) binary() []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id byte
		l  *list
	}{
		{secType, &w.types}, {secImport, &w.imports}, {secFunction, &w.funcs}, {secTable, &w.tables}, {secMemory, &w.memories},
		{secGlobal, &w.globals}, {secExport, &w.exports}, {secElement, &w.elems}, {secCode, &w.code},
	} {
		if s.l.n > 0 {
			b = appendSection(b, s.id, append(appendU32(nil, s.l.n), s.l.b...))
		}
	}
	return b
}

// Instructions that our own modules consist of.
const (
	opUnreachable  = 0x00
	opLoop         = 0x03
	opEnd          = 0x0b
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opTableGet     = 0x25
	opTableSet     = 0x26
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opRefNull      = 0xd0
	opPrefix       = 0xfc
	opTableGrow    = 0x0f // after opPrefix
	opTableSize    = 0x10 // after opPrefix
)

// The names under which rewritten modules import, and export what is hidden.
const (
	linkName   = "m" // where everything comes from
	memoryFrom = "M" // but a memory, which comes from the module that made it
)

func importName(i int) string        { return strconv.Itoa(i) }
func hidden(k Kind, i uint32) string { return "\x00" + k.String() + strconv.Itoa(int(i)) }

// interruptibly returns a code section in which each function begins with an empty loop: wazero looks
// for an interrupt at loops only, so endless recursion would not see one.
func interruptibly(code []byte) []byte {
	r := &reader{b: code}
	n := r.count(maxTypes, "function bodies")
	b := appendU32(make([]byte, 0, len(code)+8*n), uint32(n))
	for range n {
		body := r.take(r.u32())
		f := &reader{b: body}
		for range f.count(maxLocals, "groups of locals") {
			f.u32()
			f.byte()
		}
		b = appendU32(b, uint32(len(body)+3))
		b = append(append(append(b, body[:f.pos]...), opLoop, 0x40, opEnd), body[f.pos:]...)
	}
	return b
}

// rewrite returns the module with imports by number, bounded tables, and
// exports of its memory, and of its tables and globals that can hold values of the host.
func (m *parsed) rewrite(interruptible bool) []byte {
	size := 8
	for _, s := range m.sections {
		size += len(s.body) + 6
	}
	b := append(make([]byte, 0, size+64*len(m.imports)), "\x00asm\x01\x00\x00\x00"...)
	exported := false
	for _, s := range m.sections {
		if !exported && s.id > secExport || s.id == secExport {
			if !exported {
				b = m.appendExports(b)
			}
			exported = true
			if s.id == secExport {
				continue
			}
		}
		switch s.id {
		case secImport:
			b = appendSection(b, secImport, m.importSection())
		case secTable:
			b = appendSection(b, secTable, m.tableSection())
		case secCode:
			if interruptible {
				s.body = interruptibly(s.body)
			}
			b = appendSection(b, secCode, s.body)
		default:
			b = appendSection(b, s.id, s.body)
		}
	}
	if !exported {
		b = m.appendExports(b)
	}
	return b
}

func (m *parsed) importSection() []byte {
	b := appendU32(nil, uint32(len(m.imports)))
	fn := 0
	for i, imp := range m.imports {
		from, name := linkName, importName(i)
		if imp.Kind == MemoryKind {
			from, name = memoryFrom, hidden(MemoryKind, 0)
		}
		b = append(appendName(appendName(b, from), name), byte(imp.Kind))
		switch imp.Kind {
		case FuncKind:
			b = appendU32(b, m.funcs[fn])
			fn++
		case TableKind:
			b = appendTable(b, TableType{imp.Table.Elem, Limits{}})
		case MemoryKind:
			b = appendLimits(b, Limits{Max: maxPages, HasMax: true})
		case GlobalKind:
			b = appendGlobal(b, imp.Global)
		}
	}
	return b
}

func (m *parsed) tableSection() []byte {
	own := m.tables[m.imported[TableKind]:]
	b := appendU32(nil, uint32(len(own)))
	for _, t := range own {
		b = appendTable(b, bounded(t))
	}
	return b
}

// bounded returns the type that a table gets, which cannot grow beyond what is
// sensible.
func bounded(t TableType) TableType {
	if !t.HasMax || t.Max > MaxTable {
		t.Max, t.HasMax = MaxTable, true
	}
	return t
}

func (m *parsed) appendExports(b []byte) []byte {
	var l list
	for _, e := range m.exports {
		l.add(func(b []byte) []byte { return appendU32(append(appendName(b, e.Name), byte(e.Kind)), e.Index) })
	}
	for i, t := range m.tables {
		if t.Elem == ExternRef {
			l.add(func(b []byte) []byte {
				return appendU32(append(appendName(b, hidden(TableKind, uint32(i))), byte(TableKind)), uint32(i))
			})
		}
	}
	for i, g := range m.globals {
		if g.Val == ExternRef {
			l.add(func(b []byte) []byte {
				return appendU32(append(appendName(b, hidden(GlobalKind, uint32(i))), byte(GlobalKind)), uint32(i))
			})
		}
	}
	if len(m.memories) > 0 {
		l.add(func(b []byte) []byte {
			return appendU32(append(appendName(b, hidden(MemoryKind, 0)), byte(MemoryKind)), 0)
		})
	}
	if l.n == 0 {
		return b
	}
	return appendSection(b, secExport, append(appendU32(nil, l.n), l.b...))
}
