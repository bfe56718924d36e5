// Package wasi is a command line over the files of a project: commands compiled to
// WebAssembly, and commands in Go. Nothing of the machine is reachable: no file,
// socket or process of it.
//
//	r, err := wasi.New(nil)
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	err = r.Run(ctx, &wasi.Cmd{Files: project, Args: []string{"grep", "-n", "TODO", "index.html"}, Stdout: os.Stdout})
//
// # Files
//
// The project is /project, where commands start. /tmp is empty and ends with the run.
// A file is committed soon after it was closed and at the end of the run at the
// latest; who writes last wins. A command that fails leaves what it has written, unless
// [Cmd].Atomic is set. Folders without files are not kept: a project has none. There
// are no links, owners or permissions.
//
// # Errors
//
// [Runner.Run] returns an [*ExitError] for an exit code other than zero: 127 if there is no
// such command, 126 if it cannot be run, 124 after the deadline, 130 if ctx ended
// first, 134 after a crash, 141 if nobody read what it wrote. A busy loop, a sleep and
// a blocked read end within milliseconds of ctx. Any other error is the files':
// they were not written.
//
// # Python
//
// python3 is a command, with the standard library but for what needs a network, threads or processes. [Python] is an
// interpreter that keeps its variables from call to call:
//
//	py, err := r.NewPython(&wasi.Cmd{Files: project})
//	if err != nil {
//		return err
//	}
//	defer py.Close()
//	err = py.Run(ctx, "sum(range(10))", &wasi.PythonCall{Stdout: os.Stdout, Stderr: os.Stderr})
//
// # Concurrency
//
// A [Runner] runs any number of commands at once, each with its own memory. Calls of a [Python] queue.
package wasi
