package wasi

import (
	"context"
	"errors"

	table "samkit.dev/wasi/internal/xan"
)

// xan COMMAND [ARG]...
func xan(ctx context.Context, p *proc) error {
	err := table.Run(ctx, &table.Env{
		Args: p.args[1:], Stdout: p.stdout, Help: helps()["xan"], Room: p.r.opts.Memory / 2,
		Read: func(name string) ([]byte, error) { return p.input(name) },
		Write: func(name string, data []byte) error {
			return reason(p.tree.write(p.abs(name), data))
		},
	})
	var usage *table.UsageError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case closedPipe(err):
		return &ExitError{Code: exitPipe}
	case errors.As(err, &usage):
		return p.fail(2, "%v", err)
	}
	return p.fail(1, "%v", err)
}
