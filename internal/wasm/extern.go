package wasm

import (
	"fmt"
)

// An Extern is what can be imported: a *[Func], *[Table], *[Memory], *[Global], or, for
// imports only, a [HostFunc] or a [Const].
type Extern any

// A HostFunc is a function of the host, with the type that the import has. It gets
// parameters in the stack and leaves results there. What it panics with ends the call
// of the store's code with an *[Unwound].
type HostFunc func(stack []uint64)

// A Const is the value of an immutable global of a numeric type.
type Const uint64

// A LinkError is an import that does not fit, with its number.
type LinkError struct {
	Import int
	Text   string
}

func (e *LinkError) Error() string { return fmt.Sprintf("wasm: import %d: %s", e.Import, e.Text) }

// fits says why x cannot be what is imported, or nothing.
func fits(d *Desc, x Extern) string {
	ok := true
	switch x := x.(type) {
	case HostFunc:
		ok = d.Kind == FuncKind
	case Const:
		ok = d.Kind == GlobalKind && !d.Global.Mutable
	case *Func:
		if ok = d.Kind == FuncKind; ok && x.Type.key() != d.Func.key() {
			return "imported function does not match the expected type"
		}
	case *Table:
		if ok = d.Kind == TableKind; ok && x.Type.Elem != d.Table.Elem {
			return "imported table does not match the expected type"
		}
		if ok && !x.Type.within(d.Table.Limits, x.Len()) {
			return limitsText("table", d.Table.Limits, x.Type.Limits, x.Len())
		}
	case *Memory:
		if ok = d.Kind == MemoryKind; ok && !x.Type.within(d.Memory, x.Pages()) {
			return limitsText("memory", d.Memory, x.Type, x.Pages())
		}
	case *Global:
		if ok = d.Kind == GlobalKind; ok && x.Type.Mutable != d.Global.Mutable {
			return "imported global does not match the expected mutability"
		}
		if ok && x.Type.Val != d.Global.Val {
			return "imported global does not match the expected type"
		}
	default:
		ok = false
	}
	if !ok {
		return "is no " + d.Kind.String()
	}
	return ""
}

func limitsText(what string, want, have Limits, now uint32) string {
	switch {
	case now < want.Min:
		return fmt.Sprintf("%s import has %d elements, which is less than the required minimum %d", what, now, want.Min)
	case !have.HasMax:
		return fmt.Sprintf("%s import has no maximum limit, expected at most %d", what, want.Max)
	}
	return fmt.Sprintf("%s import has a larger maximum size %d than the module's declared maximum %d", what, have.Max, want.Max)
}
