// Package script saves and runs short programs that an AI writes, in JavaScript or
// TypeScript, on the files of a project.
//
//	r := script.New(eng, app, &script.Options{Tools: set, Mode: script.Auto, Confirm: ask})
//	res, err := r.Eval(ctx, script.Source{Code: `
//		const notes = await rtcAgent.listDir("notes");
//		return notes.length;
//	`}, nil)
//
// A script is the body of an async function: return gives its result, and await works
// everywhere. It sees params, console, the objects of the language, and rtcAgent:
//
//	rtcAgent.readFile(path)  rtcAgent.writeFile(path, text)  rtcAgent.listDir(path)
//	rtcAgent.callFunction("crm.lookup", args)  rtcAgent.crm.lookup(args)
//	rtcAgent.system.delay(ms)  uuid(count)  now()  random({min, max, integer})  time("iso" | "locale" | "ts")  timezone()
//
// The files AGENT.md, functions/INDEX.md and functions/<group>/<function>.md say to it what it may call; they
// are made when they are read.
//
// # Checked, then limited
//
// What a script may not use, such as fetch, eval or while, is found before it runs, and comes back as a
// [*BlockedError] with the place and what to use instead. It runs in a worker process of the
// engine, in an isolate of its own, and ends with it: at its deadline, or when it has used
// its memory, output or calls.
//
// # Results
//
// A result is JSON of at most [MaxResult] bytes. What JSON lacks is an object with one member:
// {"$undefined": true}, {"$bigint": "12"}, {"$number": "NaN"}, {"$date": "2026-01-02T03:04:05.000Z"},
// {"$map": [[key, value]]}, {"$set": [value]}, {"$error": {"name", "message"}}. A name of the script's own that begins with "$" gets a second one.
// Functions and symbols are undefined. Params that a Go program passes are plain JSON.
//
// # A prompt
//
// [NewREPL] starts a session for a person: lines of JavaScript or TypeScript, one after the other, on the same files. It
// has nothing of the check, and is a worker of its own.
//
// # Metrics
//
// [Options.Observe] is told of each run, and of each attempt to save: the action, how it ended, how long it took, bytes of code and result.
//
// # Errors
//
// A script that throws, or is ended, has a [Result] and no error: it says where in the source it threw, what was printed before and, in
// Killed, which budget ended it. An error is what kept it from
// running: a [*BlockedError], a refusal as a [*host.Error], or the end of the context.
package script
