package task

import (
	"context"
	"errors"

	"samkit.dev/wasi"
)

// Virtual runs the commands of r on the task's files, below /project; nothing else exists. A write that
// the policy does not permit fails in the command. Where commands are named no others start, whatever the
// policy permits and whoever starts them: neither by xargs nor by a script. A folder
// without files is gone when the command has ended that made it. The caller closes r, after the runs that use it.
func Virtual(r *wasi.Runner, commands ...string) Backend { return virtual{r, commands} }

type virtual struct {
	r     *wasi.Runner
	allow []string // nil means all
}

func (virtual) Name() string { return "virtual" }

func (v virtual) Run(ctx context.Context, c *Command) (Outcome, error) {
	err := v.r.Run(ctx, &wasi.Cmd{Files: c.Files, Args: c.Argv, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, Allow: v.allow})
	var exit *wasi.ExitError
	switch {
	case errors.As(err, &exit):
		return Outcome{Code: exit.Code}, ctx.Err()
	case errors.Is(err, ErrRefused):
		return Outcome{Code: 1}, nil // it is among the refusals
	}
	return Outcome{}, err
}
