// Package host describes the Go functions a program offers to sandboxed code.
//
//	crm := caps.Define("crm", 1)
//	host.Register(crm, "lookup", "Finds a customer by id.", lookup)
//
// Offering is not granting. Sandboxed code reaches a function only where the
// program puts it: in env.HOST of an app that it makes its agent
// (canvas.App.Host), or as a service of any app (canvas.App.Services:
// env.CRM.lookup).
//
// # Functions
//
// A function takes a context and one value that encoding/json can decode, and
// returns one that it can encode and an error:
//
//	func lookup(ctx context.Context, in LookupIn) (LookupOut, error)
//
// In JavaScript it is called with one argument and returns a promise: await
// env.HOST.crm.lookup({id: "c1"}). [CallFrom] tells who is calling.
//
// Arguments are checked against the JSON Schema of the type before the
// function runs: at most [MaxArgs] bytes, [MaxDepth] levels, no unknown or
// duplicate property, every property present that has no omitempty or
// omitzero. Property names come from json tags, so every exported field must
// have one.
//
// JavaScript numbers hold integers up to 2⁵³−1. An int64 or uint64 beyond
// that travels as a decimal string, in both directions, and its schema says
// so. An int or uint is always a number; a result beyond 2⁵³−1 is an error.
//
// # Streams
//
// A result may come in pieces, as far as code reads on:
//
//	func export(ctx context.Context, in ExportIn) (io.Reader, error)              // a ReadableStream of bytes
//	func rows(ctx context.Context, in Query) (iter.Seq[Row], error)               // for await (const row of await env.CRM.rows({…}))
//	func logs(ctx context.Context, in Filter) (iter.Seq2[LogLine, error], error)  // an error ends it, and is thrown
//
// Between two values the function stands still, but for a few that are sent together. If code stops reading
// (break, cancel) the iterator's yield returns false, and a reader is closed if it is an
// io.Closer. The context lives as long as the stream, which ends with the request, its limits and the rights to
// call the function; a Read that waits has to end with it. Each time that code waits for more
// counts as a call. A stream has at most [MaxStream] bytes, a value [MaxResult].
//
// # Errors
//
// Sandboxed code sees an [Error] that the function returns, with its code. Of
// any other error, and of a panic, it sees [Internal] and a fixed message; the
// cause stays in the program.
//
//	code          meaning                               details
//	invalid       the arguments are wrong
//	not_found     what they name does not exist
//	conflict      it changed since it was read          the current hash and contents
//	denied        the caller may not                    Grant: what would be needed
//	exhausted     a budget is used up                   the limit and its value
//	unavailable   not now; Retry says if later may do
//	timeout       it took too long
//	internal      a fault of the program                withheld
//
// # Versions
//
// A version changes only when code written for the old one would break; both
// can be offered side by side. env.HOST.crm is the oldest version offered,
// env.HOST["crm@2"] a chosen one; sam.json can pin: {"uses": {"crm": 2}}.
package host
