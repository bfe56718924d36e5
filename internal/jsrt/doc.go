// Package jsrt is the door to goja: a runtime with native classes, promises and
// turns, and the compiler that makes other people's JavaScript fit it.
//
// # Native classes
//
// An instance of a native class is an ordinary, extensible JavaScript object
// that carries a Go value (see [Runtime.Wrap]); JavaScript can neither see nor
// forge what it carries. Classes are built when first used, since most
// requests touch few.
//
// # Turns
//
// A [Runtime] belongs to one goroutine at a time. Go enters it with
// [Runtime.Turn] or [Runtime.Enter]; when the outermost one returns, the job
// queue has been drained. Inside a turn native code may call functions and settle promises
// freely: reactions run in the order that ECMAScript gives them.
package jsrt
