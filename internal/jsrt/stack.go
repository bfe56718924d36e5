package jsrt

import (
	"unsafe"

	"github.com/dop251/goja"
)

const stackSize = 128 // values; for more goja makes its own

// lendStack gives the interpreter the stack of the last turn, cleared, if the runtime keeps one. Otherwise it makes
// a new one for each turn, in several steps, and lets go of it at the end.
func (rt *Runtime) lendStack() {
	l := knownLayout()
	if !rt.KeepStack || l == nil {
		return
	}
	at, used := l.stackOf(rt.VM)
	if *at != nil || used != 0 {
		return
	}
	if rt.stack == nil {
		rt.stack = make([]goja.Value, 0, stackSize)
	}
	*at = rt.stack
}

// takeStack is called when a turn may have ended.
func (rt *Runtime) takeStack() {
	if rt.stack == nil {
		return
	}
	if at, _ := knownLayout().stackOf(rt.VM); unsafe.SliceData(*at) != unsafe.SliceData(rt.stack) {
		clear(rt.stack[:stackSize])
	}
}
