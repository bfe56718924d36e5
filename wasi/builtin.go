package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// builtins returns the commands in Go: those that run other commands, those that tell about
// commands, and some that no module has.
func builtins() map[string]command {
	return map[string]command{
		"xargs": xargs, "find": find, "env": env, "printenv": printenv, "timeout": timeout, "time": timeCommand, "which": which, "help": help,
		"tree": treeCommand, "column": column, "join": join, "unexpand": unexpand, "rg": rg, "hostname": hostname, "whoami": whoami,
		"sh": sh, "bash": sh, "html-to-markdown": htmlToMarkdown, "yq": yq, "xan": xan,
	}
}

// with returns p for another command.
func (p *proc) with(args []string) *proc {
	q := *p
	q.args = args
	return &q
}

// code is the exit code of an error, -1 if it is none.
func code(err error) int {
	var exit *ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	}
	return -1
}

// usage is how a command fails that is not called as it should be.
func (p *proc) usage(text string) error {
	fmt.Fprintf(p.stderr, "usage: %s %s\n", p.args[0], text)
	return &ExitError{Code: 2}
}

// An option is a flag of a command, as getopt has them: "n" is one without a value, "n:" one
// with, and longer names are written with two dashes.
type option struct{ name, value string }

// getopt parses flags up to the first operand, or "--". spec lists the flags.
func (p *proc) getopt(spec string) (opts []option, operands []string, err error) {
	known := map[string]bool{} // whether it takes a value
	for _, s := range strings.Fields(spec) {
		name, takes := strings.CutSuffix(s, ":")
		known[name] = takes
	}
	rest := p.args[1:]
	for len(rest) > 0 {
		arg := rest[0]
		if len(arg) < 2 || arg[0] != '-' {
			break
		}
		rest = rest[1:]
		if arg == "--" {
			break
		}
		if long, ok := strings.CutPrefix(arg, "--"); ok {
			name, value, has := strings.Cut(long, "=")
			takes, ok := known[name]
			if !ok || len(name) == 1 {
				return nil, nil, p.fail(2, "unrecognized option '%s'", arg)
			}
			if takes && !has {
				if len(rest) == 0 {
					return nil, nil, p.fail(2, "option '%s' requires an argument", arg)
				}
				value, rest = rest[0], rest[1:]
			}
			opts = append(opts, option{name, value})
			continue
		}
		for i := 1; i < len(arg); i++ {
			name := arg[i : i+1]
			takes, ok := known[name]
			if !ok {
				return nil, nil, p.fail(2, "invalid option -- '%s'", name)
			}
			if !takes {
				opts = append(opts, option{name, ""})
				continue
			}
			value := arg[i+1:]
			if value == "" {
				if len(rest) == 0 {
					return nil, nil, p.fail(2, "option requires an argument -- '%s'", name)
				}
				value, rest = rest[0], rest[1:]
			}
			opts = append(opts, option{name, value})
			break
		}
	}
	return opts, rest, nil
}

// input returns what a command reads: the file, or standard input for "-" and "".
func (p *proc) input(name string) ([]byte, error) {
	if name == "" || name == "-" {
		if p.stdin == nil {
			return nil, nil
		}
		data, err := io.ReadAll(io.LimitReader(p.stdin, p.r.opts.Memory+1))
		if int64(len(data)) > p.r.opts.Memory {
			return nil, errors.New("input is too large")
		}
		return data, err
	}
	data, err := p.tree.readFile(p.abs(name))
	return data, reason(err)
}

// reason is an error without the path it is about, which the caller prints.
func reason(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// inputs reads all operands, or standard input if there are none, as one.
func (p *proc) inputs(names []string) ([]byte, error) {
	if len(names) == 0 {
		return p.input("-")
	}
	var all []byte
	for _, name := range names {
		data, err := p.input(name)
		if err != nil {
			return nil, p.fail(1, "%s: %v", name, err)
		}
		all = append(all, data...)
	}
	return all, nil
}

// env [-i] [-u NAME] [NAME=VALUE]... [COMMAND [ARG]...]
func env(ctx context.Context, p *proc) error {
	opts, rest, err := p.getopt("i u: ignore-environment unset: 0")
	if err != nil {
		return err
	}
	vars := slices.Clone(p.env)
	end := "\n"
	for _, o := range opts {
		switch o.name {
		case "i", "ignore-environment":
			vars = nil
		case "u", "unset":
			vars = slices.DeleteFunc(vars, func(kv string) bool { return strings.HasPrefix(kv, o.value+"=") })
		case "0":
			end = "\x00"
		}
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") {
		name, _, _ := strings.Cut(rest[0], "=")
		vars = append(slices.DeleteFunc(vars, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }), rest[0])
		rest = rest[1:]
	}
	if len(rest) > 0 {
		q := p.with(rest)
		q.env = vars
		return p.run(ctx, q)
	}
	for _, kv := range vars {
		if _, err := io.WriteString(p.stdout, kv+end); err != nil {
			return written(err)
		}
	}
	return nil
}

func printenv(_ context.Context, p *proc) error {
	if len(p.args) == 1 {
		_, err := io.WriteString(p.stdout, strings.Join(append(slices.Clone(p.env), ""), "\n"))
		return written(err)
	}
	var out error
	for _, name := range p.args[1:] {
		if !slices.ContainsFunc(p.env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			out = &ExitError{Code: 1}
			continue
		}
		if _, err := io.WriteString(p.stdout, p.getenv(name)+"\n"); err != nil {
			return written(err)
		}
	}
	return out
}

// written is the error of a command whose output failed.
func written(err error) error {
	switch {
	case err == nil:
		return nil
	case closedPipe(err):
		return &ExitError{Code: exitPipe}
	}
	return &ExitError{Code: 1, Err: err}
}

func hostname(_ context.Context, p *proc) error {
	_, err := io.WriteString(p.stdout, "samkit\n")
	return written(err)
}

func whoami(_ context.Context, p *proc) error {
	_, err := io.WriteString(p.stdout, "user\n")
	return written(err)
}

// timeout DURATION COMMAND [ARG]...
func timeout(ctx context.Context, p *proc) error {
	_, rest, err := p.getopt("s: k: signal: kill-after: foreground preserve-status")
	if err != nil {
		return err
	}
	if len(rest) < 2 {
		return p.usage("DURATION COMMAND [ARG]...")
	}
	d, ok := duration(rest[0])
	if !ok {
		return p.fail(125, "invalid time interval '%s'", rest[0])
	}
	if d == 0 {
		return p.run(ctx, p.with(rest[1:]))
	}
	inner, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	q := p.with(rest[1:])
	if q.stdin != nil {
		q.stdin = readable(inner, p.stdin)
	}
	err = p.run(inner, q)
	if inner.Err() != nil && ctx.Err() == nil {
		return &ExitError{Code: exitTimeout}
	}
	return err
}

// duration parses seconds with a fraction and one of the suffixes s, m, h, d.
func duration(s string) (time.Duration, bool) {
	unit := time.Second
	if s != "" {
		switch s[len(s)-1] {
		case 's':
			s = s[:len(s)-1]
		case 'm':
			s, unit = s[:len(s)-1], time.Minute
		case 'h':
			s, unit = s[:len(s)-1], time.Hour
		case 'd':
			s, unit = s[:len(s)-1], 24*time.Hour
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0) {
		return 0, false
	}
	if f*float64(unit) > float64(time.Duration(1<<62)) {
		return 1 << 62, true
	}
	return time.Duration(f * float64(unit)), true
}

// time [-p] COMMAND [ARG]... prints how long it took. There is no telling what part of
// it was spent computing.
func timeCommand(ctx context.Context, p *proc) error {
	_, rest, err := p.getopt("p")
	if err != nil {
		return err
	}
	began := time.Now()
	if len(rest) > 0 {
		err = p.run(ctx, p.with(rest))
	}
	fmt.Fprintf(p.stderr, "real %.2f\n", time.Since(began).Seconds())
	return err
}

// which NAME...
func which(_ context.Context, p *proc) error {
	var out error
	for _, name := range p.args[1:] {
		if name == "-a" {
			continue
		}
		if !p.has(path.Base(name)) || strings.Contains(name, "/") && path.Dir(name) != "/bin" {
			out = &ExitError{Code: 1}
			continue
		}
		if _, err := fmt.Fprintln(p.stdout, "/bin/"+path.Base(name)); err != nil {
			return written(err)
		}
	}
	return out
}

// lines splits text as commands do: a last line without a newline counts.
func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(data, []byte("\n"))), "\n")
}
