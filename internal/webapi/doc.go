// Package webapi gives a runtime the Web APIs of Workers, natively and lazily:
// a class costs nothing until code touches it. The semantics are those of the
// WHATWG standards; where workerd differs from them, workerd's.
//
// A [Realm] does no I/O of its own. What leaves it (timers, console output,
// bodies that arrive in pieces) goes through its [Host].
package webapi
