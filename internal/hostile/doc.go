// Package hostile is the corpus of hostile functions: what a server function
// may try against the program that hosts it, as data, and the means to run it.
//
// Each file in cases holds one group. A case begins with a line "=== number
// name"; the numbers are those that THREATS.md and the reports of others use.
// Fields follow, one a line, up to an empty line, and after it the code:
//
//	=== 1 endless loop
//	all: limit_cpu
//
//	for (;;) {}
//
// The code is the body of a fetch handler, unless it assigns exports.default
// by itself. The handler answers "ok" if the code returns nothing.
//
// # Fields
//
// sandboxed, process and inprocess say what is promised at each level, and all
// what is promised at those that have no field of their own: one or more codes of
// [workers.Error] divided by "|"; "ok", a response of status 200; "ok: text",
// whose body is text; "status 404"; or "not promised: why", in which case it is
// not run at that level.
//
// body is the size of the request body in bytes. next says with "no" that the
// project itself answers no more requests, which harms nobody else. drain says with
// "slow" that the client reads no faster than 64 KB a millisecond. event says with "scheduled"
// that the code runs for a cron trigger. late says why at inprocess it may end later than its limit.
// uses names what a bundle of the code would ask the runtime for, such
// as Intl.
package hostile
