// Package wasm runs WebAssembly for the JavaScript API of it: modules whose
// imports are matched one by one, memories, tables and globals that stand by
// themselves, functions that are the same wherever they are met. It is the
// only door to wazero.
//
// wazero links whole modules by name. So a module is rewritten as it is
// compiled: it imports everything from one module, by number, and that one is
// made anew for each instance, out of host functions, constants and what other
// instances export. The rewriting also bounds tables and exports, under hidden
// names, whatever can hold a reference to a value of the host.
//
// An [Engine] keeps machine code; a [Store] is one world of instances that can
// be linked, and belongs to one goroutine at a time, [Store.Interrupt] excepted.
package wasm
