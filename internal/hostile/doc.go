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
// # Numbers
//
// Cases of a number are where they can be run. Here are those of code, also of what
// later numbers added:
//
//	1 to 85, and those of code from 118 to 280   this package
//	101 to 117, packages                         sam, TestHostilePackages
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
//
// # Where each number is
//
// What a function can try is here; what needs a browser, a path or a package is a test of
// the package that defends it:
//
//	1–85           cases
//	86–98, 145     canvas path_test.go, isolation_test.go; sam names_test.go, FuzzFileName
//	99, 100        canvas TestRanges, TestConditionalRequests
//	118, 122–124   cases, and as headers of real responses canvas TestResponseHeaders, TestResponseRedirects
//	119–121        canvas TestCookies, TestProxyCommandsAreDropped, TestResponseHeaders
//	125–128        canvas policy_test.go, TestResponseHeaders, TestInverseIsolation
//	129–143        cases; sqlshim hostile_test.go, kv
//	144–149, 153   tool path_test.go
//	154–160, 162   canvas/workbench TestRightsEndInTheMiddleOfARequest, TestSessionsAreNotPassedOn; canvas token_test.go
//	161, 167, 168  canvas access_test.go, policy_test.go
//	163            canvas TestRedactor, TestFailuresShowNoSecret
//	177, 178       cases
//	181–184        cases
//	185–197        cases, where nothing is granted; with grants internal/netguard (192 TestRebinding) and
//	               internal/outbound (191, 194, 195; there is no proxy that could be asked to CONNECT, 197: TestNoProxy)
//	270–280        cases, of APIs that came later
//
// canvastest.Hostile has the cases attack a whole program over HTTP.
package hostile
