package task

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"samkit.dev/internal/confine"
	"samkit.dev/tool/task/internal/box"
)

// Main supervises commands of [Light] and [Strong], and exits, in a process that was started for that. In any other it returns
// at once. A program that uses them calls it at the very top of main, and tests at the top of TestMain; engine.Main does as well.
func Main() { confine.Main() }

// BoxOptions configures Light and Strong. Nil means the zero BoxOptions.
type BoxOptions struct {
	// System are paths of the machine that commands may read beside the usual ones, such as "/opt/node": absolute, and none
	// below which there is anything secret.
	System []string
	// Resolver finds the addresses of hosts for commands that have a network; nil means the system's.
	Resolver interface {
		LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
	}
	// Dial connects to an address that was checked; nil means a [net.Dialer].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// A Box is a Backend that runs processes of the machine, on a directory with the task's files.
type Box struct{ box *box.Box }

// Light runs processes with what the system offers without privilege: for a developer's own commands, against mistakes. It is not for
// hostile code; [Box.Level] says what it holds. The caller closes it, after the runs that use it.
func Light(opts *BoxOptions) (*Box, error) { return openBox(box.Light, opts) }

// Strong runs processes in namespaces of their own, which have the machine's programs and the task's files, and no network but
// what the policy allows. It is an error where that can't be had, or where one of its own attempts to escape succeeds. The caller closes it,
// after the runs that use it.
func Strong(opts *BoxOptions) (*Box, error) { return openBox(box.Strong, opts) }

func openBox(kind box.Kind, opts *BoxOptions) (*Box, error) {
	var o box.Options
	if opts != nil {
		o = box.Options{System: opts.System, Resolver: opts.Resolver, Dial: opts.Dial}
	}
	b, err := box.Open(kind, &o)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	return &Box{b}, nil
}

// Close ends the commands that run, and waits for them. It can be called again.
func (b *Box) Close() error { return b.box.Close() }

// Level says in a line what was found to be held when the box was opened, and what not.
func (b *Box) Level() string { return b.box.Level().String() }

// Name implements Backend: "light" or "strong".
func (b *Box) Name() string { return b.box.Level().Kind.String() }

// Run implements Backend.
func (b *Box) Run(ctx context.Context, c *Command) (Outcome, error) {
	dir, err := c.Checkout(ctx)
	if err != nil {
		return Outcome{}, err
	}
	res, err := b.box.Run(ctx, &box.Command{
		Argv: c.Argv, Env: c.Env, Root: dir, Dir: c.Dir, Writable: c.Policy.Writable, Deny: c.Policy.Deny, Network: c.Policy.Network,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
	})
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Code: res.Code}
	for _, r := range res.Refusals {
		o.Refused = append(o.Refused, Refusal{r.Kind, r.What, r.Reason})
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case res.Killed != "":
		err = fmt.Errorf("it was ended, for it took too much: %s", res.Killed)
	}
	return o, err
}
