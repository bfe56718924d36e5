package wasm

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// A reader reads the binary format. After the first error it gives zeros.
type reader struct {
	b   []byte
	pos int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format+" @+%d", append(args, r.pos)...)
		r.pos = len(r.b)
	}
}

func (r *reader) more() bool { return r.err == nil && r.pos < len(r.b) }

func (r *reader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail("unexpected end")
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)-r.pos) {
		r.fail("unexpected end: %d bytes wanted, %d are there", n, len(r.b)-r.pos)
		return nil
	}
	r.pos += int(n)
	return r.b[r.pos-int(n) : r.pos]
}

func (r *reader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.fail("an integer is too large")
	return 0
}

// skipLEB skips a signed integer of any size.
func (r *reader) skipLEB() {
	for range 10 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("an integer is too long")
}

// count reads the length of a list.
func (r *reader) count(limit uint32, what string) int {
	n := r.u32()
	if n > limit {
		r.fail("%d %s are more than the limit of %d", n, what, limit)
		return 0
	}
	return int(n)
}

func (r *reader) name() string {
	n := r.u32()
	if n > maxName {
		r.fail("a name of %d bytes is too long", n)
		return ""
	}
	b := r.take(n)
	if !utf8.Valid(b) {
		r.fail("a name is not UTF-8")
	}
	return string(b)
}

func (r *reader) valType() ValType {
	t := ValType(r.byte())
	if !t.known() {
		r.fail("invalid value type 0x%x", byte(t))
		return I32
	}
	return t
}

func (r *reader) valTypes() []ValType {
	n := r.count(maxArity, "values of a function")
	list := make([]ValType, n)
	for i := range list {
		list[i] = r.valType()
	}
	return list
}

func (r *reader) limits(most uint32, what string) (l Limits) {
	flag := r.byte()
	if flag > 1 {
		if flag == 3 {
			r.fail("shared memories are not supported")
		} else {
			r.fail("invalid flags 0x%x of a %s", flag, what)
		}
		return l
	}
	if l.Min = r.u32(); l.Min > most {
		r.fail("initial %s size (%d) is larger than implementation limit (%d)", what, l.Min, most)
	}
	if flag == 1 {
		l.HasMax = true
		if l.Max = r.u32(); l.Max < l.Min {
			r.fail("maximum %s size (%d) is smaller than the initial one (%d)", what, l.Max, l.Min)
		}
	}
	return l
}

func (r *reader) table() TableType {
	elem := r.valType()
	if r.err == nil && elem != FuncRef && elem != ExternRef {
		r.fail("invalid type of a table 0x%x", byte(elem))
	}
	return TableType{elem, r.limits(MaxTable, "table")}
}

func (r *reader) memory() Limits {
	l := r.limits(maxPages, "memory")
	if l.HasMax && l.Max > maxPages {
		r.fail("maximum memory size (%d pages) is larger than implementation limit (%d pages)", l.Max, maxPages)
	}
	return l
}

func (r *reader) global() GlobalType {
	t := r.valType()
	m := r.byte()
	if m > 1 {
		r.fail("invalid mutability 0x%x", m)
	}
	return GlobalType{t, m == 1}
}

// constExpr skips a constant expression.
func (r *reader) constExpr() {
	for r.err == nil {
		switch op := r.byte(); op {
		case 0x0b: // end
			return
		case 0x41, 0x42: // i32.const, i64.const
			r.skipLEB()
		case 0x43:
			r.take(4)
		case 0x44:
			r.take(8)
		case 0x23, 0xd2: // global.get, ref.func
			r.u32()
		case 0xd0: // ref.null
			r.byte()
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e: // add, sub, mul
		case 0xfd: // v128.const
			r.u32()
			r.take(16)
		default:
			r.fail("opcode 0x%x is not allowed in a constant expression", op)
		}
	}
}

// The numbers of the sections.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
)

type section struct {
	id   byte
	body []byte
}

// A parsed module is what linking has to know of it.
type parsed struct {
	sections []section // but the custom ones
	custom   []CustomSection
	types    []FuncType
	imports  []Import
	exports  []Export
	funcs    []uint32 // type of each function, imported ones first
	tables   []TableType
	memories []Limits
	globals  []GlobalType
	imported [4]uint32 // how many of each kind
}

// A CustomSection is a custom section of a module.
type CustomSection struct {
	Name string
	Data []byte
}

var errMagic = errors.New("expected magic word 00 61 73 6d and version 01 00 00 00 @+0")

// parse reads the parts of a binary that say what goes in and out. The rest is
// left to the compiler, which checks everything again.
func parse(binary []byte) (*parsed, error) {
	if len(binary) < 8 || string(binary[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, errMagic
	}
	m := &parsed{}
	r := &reader{b: binary, pos: 8}
	for r.more() {
		id := r.byte()
		start := r.pos
		body := r.take(r.u32())
		if r.err != nil {
			break
		}
		s := &reader{b: body}
		m.section(id, s)
		if s.err != nil {
			return nil, fmt.Errorf("%w of the section at +%d", s.err, start)
		}
		if id != secCustom {
			m.sections = append(m.sections, section{id, body})
		}
	}
	return m, r.err
}

func (m *parsed) section(id byte, r *reader) {
	switch id {
	case secCustom:
		name := r.name()
		m.custom = append(m.custom, CustomSection{name, append([]byte(nil), r.b[min(r.pos, len(r.b)):]...)})
	case secType:
		for range r.count(maxTypes, "types") {
			if form := r.byte(); form != 0x60 {
				r.fail("unknown type form 0x%x", form)
				return
			}
			m.types = append(m.types, FuncType{r.valTypes(), r.valTypes()})
		}
	case secImport:
		for range r.count(maxImports, "imports") {
			m.addImport(r)
		}
	case secFunction:
		for range r.count(maxTypes, "functions") {
			m.funcs = append(m.funcs, r.u32())
		}
	case secTable:
		for range r.count(maxTables, "tables") {
			m.tables = append(m.tables, r.table())
		}
	case secMemory:
		for range r.count(1, "memories") {
			m.memories = append(m.memories, r.memory())
		}
	case secGlobal:
		for range r.count(maxGlobals, "globals") {
			m.globals = append(m.globals, r.global())
			r.constExpr()
		}
	case secExport:
		for range r.count(maxExports, "exports") {
			m.addExport(r)
		}
	case secCode:
		for range r.count(maxTypes, "function bodies") {
			checkBody(r)
		}
	default:
		return
	}
	if id != secCustom && r.more() {
		r.fail("bytes are left over")
	}
}

// checkBody holds a function to what the compiler needs no end of memory for.
func checkBody(r *reader) {
	size := r.u32()
	if size > maxBody {
		r.fail("size %d > maximum function size %d", size, maxBody)
	}
	f := &reader{b: r.take(size)}
	locals := uint64(0)
	for range f.count(maxLocals, "groups of locals") {
		if locals += uint64(f.u32()); locals > maxLocals {
			f.fail("local count too large")
		}
		f.valType()
	}
	if f.err != nil {
		r.fail("%w of a function", f.err)
	}
}

func (m *parsed) addImport(r *reader) {
	i := Import{Module: r.name(), Name: r.name()}
	i.Kind = Kind(r.byte())
	switch i.Kind {
	case FuncKind:
		t := r.u32()
		if r.err == nil && int(t) >= len(m.types) {
			r.fail("no type of index %d", t)
		}
		if r.err != nil {
			return
		}
		i.Func = &m.types[t]
		m.funcs = append(m.funcs, t)
	case TableKind:
		i.Table = r.table()
		m.tables = append(m.tables, i.Table)
	case MemoryKind:
		i.Memory = r.memory()
		m.memories = append(m.memories, i.Memory)
	case GlobalKind:
		i.Global = r.global()
		m.globals = append(m.globals, i.Global)
	default:
		r.fail("unknown kind of import 0x%x", byte(i.Kind))
		return
	}
	m.imported[i.Kind]++
	m.imports = append(m.imports, i)
}

func (m *parsed) addExport(r *reader) {
	e := Export{Name: r.name()}
	e.Kind = Kind(r.byte())
	e.Index = r.u32()
	n := 0
	switch e.Kind {
	case FuncKind:
		if n = len(m.funcs); int(e.Index) < n && int(m.funcs[e.Index]) < len(m.types) {
			e.Func = &m.types[m.funcs[e.Index]]
		} else {
			n = 0
		}
	case TableKind:
		if n = len(m.tables); int(e.Index) < n {
			e.Table = m.tables[e.Index]
		}
	case MemoryKind:
		if n = len(m.memories); int(e.Index) < n {
			e.Memory = m.memories[e.Index]
		}
	case GlobalKind:
		if n = len(m.globals); int(e.Index) < n {
			e.Global = m.globals[e.Index]
		}
	default:
		r.fail("unknown kind of export 0x%x", byte(e.Kind))
		return
	}
	if int(e.Index) >= n {
		r.fail("export %q names a %s that is not there", e.Name, e.Kind)
		return
	}
	m.exports = append(m.exports, e)
}
