package wasm

import "strings"

// A ValType is the type of a value, with the number it has in the binary format.
type ValType byte

// The types of values.
const (
	I32       ValType = 0x7f
	I64       ValType = 0x7e
	F32       ValType = 0x7d
	F64       ValType = 0x7c
	V128      ValType = 0x7b
	FuncRef   ValType = 0x70
	ExternRef ValType = 0x6f
)

func (t ValType) known() bool {
	switch t {
	case I32, I64, F32, F64, V128, FuncRef, ExternRef:
		return true
	}
	return false
}

// slots is how many words of a stack a value takes.
func (t ValType) slots() int {
	if t == V128 {
		return 2
	}
	return 1
}

func slots(types []ValType) (n int) {
	for _, t := range types {
		n += t.slots()
	}
	return n
}

// A FuncType is the signature of a function.
type FuncType struct{ Params, Results []ValType }

// Slots is the length of a stack for a call: parameters come in it and results
// go out in it, each from the start.
func (t *FuncType) Slots() int { return max(slots(t.Params), slots(t.Results)) }

// key is equal for equal types.
func (t *FuncType) key() string {
	var b strings.Builder
	for _, p := range t.Params {
		b.WriteByte(byte(p))
	}
	b.WriteByte(0)
	for _, r := range t.Results {
		b.WriteByte(byte(r))
	}
	return b.String()
}

// mentions reports whether a value of type v goes in or out.
func (t *FuncType) mentions(v ValType) bool {
	return strings.IndexByte(t.key(), byte(v)) >= 0
}

// Limits are the size of a memory, in pages, or of a table.
type Limits struct {
	Min, Max uint32
	HasMax   bool
}

// within reports whether something of these limits and the size now may be
// imported as one of the limits want.
func (l Limits) within(want Limits, now uint32) bool {
	return now >= want.Min && (!want.HasMax || l.HasMax && l.Max <= want.Max)
}

// A TableType is the type of a table.
type TableType struct {
	Elem ValType // FuncRef or ExternRef
	Limits
}

// A GlobalType is the type of a global.
type GlobalType struct {
	Val     ValType
	Mutable bool
}

// A Kind is what an import or an export is.
type Kind byte

// The kinds, with their numbers in the binary format.
const (
	FuncKind Kind = iota
	TableKind
	MemoryKind
	GlobalKind
)

// String returns the name that the JavaScript API has for k.
func (k Kind) String() string {
	return [...]string{"function", "table", "memory", "global"}[k]
}

// A Desc says what is imported or exported; the field of its Kind is set.
type Desc struct {
	Kind   Kind
	Func   *FuncType
	Table  TableType
	Memory Limits
	Global GlobalType
}

// An Import is something a module needs.
type Import struct {
	Module, Name string
	Desc
}

// An Export is something an instance gives. Index is its number among those of
// its kind in the module.
type Export struct {
	Name  string
	Index uint32
	Desc
}

// Limits of what is accepted. Those on tables are V8's.
const (
	PageSize    = 1 << 16
	maxPages    = 1 << 16
	MaxTable    = 10_000_000 // elements
	maxBinary   = 32 << 20   // bytes of a module
	maxImports  = 100_000
	maxExports  = 100_000
	maxTypes    = 1_000_000
	maxArity    = 1000
	maxBody     = 7_654_321 // bytes of a function
	maxLocals   = 50_000
	maxName     = 100_000
	maxTables   = 100_000
	maxGlobals  = 1_000_000
	maxSegments = 100_000
)
