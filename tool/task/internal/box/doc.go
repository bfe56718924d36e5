// Package box runs real commands where they can do little, for package tool/task.
//
//	b, err := box.Open(box.Strong, nil)
//	defer b.Close()
//	res, err := b.Run(ctx, &box.Command{Argv: []string{"npm", "test"}, Root: dir, Writable: []string{"**"}, Network: []string{"registry.example.com"}})
//
// A command gets a fresh environment, a home of its own that is gone afterwards, the machine's programs to
// read, and its workspace. Everything that it started has ended when Run returns.
//
// # Kinds
//
// A Light box is for mistakes: on Linux Landlock, a filter of system calls and, where they can be had, namespaces of processes and
// mounts hold a command to its files. It sees the machine's programs, users and processes, and shares its network's loopback. What
// can't be held on a machine is told ([Level]). On other systems it ends a group of processes, and holds nothing.
//
// A Strong box is for commands that nobody trusts. It is made of Linux namespaces: the
// command sees a root of its own with the machine's programs, read-only, and the workspace; it has no network but
// a proxy that the program runs. Where it can't be had, Open says why.
//
// # Proof
//
// Open tries to escape, from within, and publishes what came of it: [Box.Level]. A Strong box out of
// which one attempt leads is refused.
//
// # The program's part
//
// On Linux this program is executed again between itself and the command, see internal/confine: its main must call engine.Main or task.Main first. When a
// command begins, the supervisor of the next is started as well and waits for it, until the box is closed or a minute has passed.
package box
