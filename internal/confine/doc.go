// Package confine is the inner side of package tool/task/internal/box: what a process does, between
// the program that wants a command run and the command, so that the command can do little.
//
// The process is this program executed again: [Main], at the top of main, takes over where a
// [Spec] waits at descriptor 3, and returns at once anywhere else. It confines one thread of its own, starts the
// command from that, and stays as its supervisor: it counts what the command starts, inherits what the
// command leaves behind, and ends with all of it, when the command ends, when a limit is passed,
// or when the program closes its end of the link, however that comes about.
//
// A light one has Landlock and a filter of system calls; a strong one has
// namespaces of its own, and sees nothing of the machine but what was mounted for it.
package confine
