// Package jsexec is JavaScript as a command of package wasi: js-exec, in a worker of the engine.
//
//	r, err := wasi.New(&wasi.Options{Builtins: map[string]wasi.Builtin{"js-exec": jsexec.New(eng)}})
package jsexec

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"path"
	"strings"
	"time"

	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool/script"
	"samkit.dev/wasi"
)

const usage = `usage: js-exec [-c CODE | FILE | -] [ARG]...
Runs JavaScript or TypeScript on the project: with await, console, process.argv, env, exit() and cwd(), and fs.promises with
readFile (also of /dev/stdin), writeFile, appendFile, readdir, access. A FILE may import others by relative paths.
There is no network, no npm and no synchronous fs.
`

// maxInput is how many bytes standard input may have.
const maxInput = 16 << 20

//go:embed prelude.js
var prelude string

// New returns the command. It does not close e, which ends after the runner of commands.
func New(e *engine.Engine) wasi.Builtin {
	return func(ctx context.Context, c *wasi.Cmd) error { return run(ctx, e, c) }
}

func run(ctx context.Context, e *engine.Engine, c *wasi.Cmd) error {
	code, file, args, err := parse(c)
	if err != nil {
		fmt.Fprintf(c.Stderr, "js-exec: %v\n", err)
		return &wasi.ExitError{Code: 2}
	}
	if code == "" && file == "" {
		_, err := io.WriteString(c.Stdout, usage)
		return err
	}
	if file != "" {
		at := path.Join(c.Dir, file)
		if path.IsAbs(file) {
			at = strings.TrimPrefix(path.Clean(file), "/project/")
		}
		if info, err := fs.Stat(c.Files.FS(ctx), at); err != nil || info.IsDir() {
			fmt.Fprintf(c.Stderr, "js-exec: there is no file %s in the project\n", file)
			return &wasi.ExitError{Code: 1}
		}
		code = "%run " + at
	}
	r, err := script.NewREPL(ctx, e, files{c}, &script.REPLOptions{
		Bare: true, Timeout: 10 * time.Minute, // the command has a time of its own
		Print: func(entry console.Entry) {
			w := c.Stdout
			if entry.Level >= slog.LevelWarn {
				w = c.Stderr
			}
			fmt.Fprintln(w, entry.Text)
		},
	})
	if err != nil {
		return err
	}
	defer r.Close()
	env := map[string]string{}
	for _, kv := range c.Env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	world, err := json.Marshal(map[string]any{"argv": append([]string{"js-exec"}, args...), "env": env, "cwd": path.Join("/project", c.Dir)})
	if err != nil {
		return err
	}
	if _, err := r.Eval(ctx, strings.Replace(prelude, "WORLD", string(world), 1)); err != nil {
		return err
	}
	_, err = r.Eval(ctx, code)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, script.ErrMore) {
		err = &script.Exception{Text: "Uncaught SyntaxError: Unexpected end of input"}
	}
	var threw *script.Exception
	if err != nil && !errors.As(err, &threw) {
		return err
	}
	exit := 0
	if threw == nil || !threw.Lost {
		asked, eerr := r.Eval(ctx, "__exit()")
		if eerr != nil {
			return eerr
		}
		var answer struct {
			Code   int
			Called bool
		}
		if jerr := json.Unmarshal([]byte(strings.Trim(asked, "'")), &answer); jerr != nil {
			return fmt.Errorf("process.exitCode is no number: %w", jerr)
		}
		exit = answer.Code & 255
		if answer.Called { // by process.exit, which throws
			threw = nil
		}
	}
	if threw != nil {
		fmt.Fprintln(c.Stderr, threw.Text)
		exit = max(exit, 1)
	}
	if exit != 0 {
		return &wasi.ExitError{Code: exit}
	}
	return nil
}

// parse reads the arguments, and code from standard input.
func parse(c *wasi.Cmd) (code, file string, args []string, err error) {
	rest := c.Args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-" {
		flag := rest[0]
		rest = rest[1:]
		switch flag {
		case "-m", "--module", "--strip-types": // all code may be TypeScript and have await
		case "-c", "-e":
			if len(rest) == 0 || strings.TrimSpace(rest[0]) == "" {
				return "", "", nil, fmt.Errorf("option %s requires code", flag)
			}
			return rest[0], "", append([]string{flag}, rest[1:]...), nil
		case "--help", "-h":
			return "", "", nil, nil
		default:
			return "", "", nil, fmt.Errorf("unrecognized option '%s'", flag)
		}
	}
	if len(rest) > 0 && rest[0] != "-" {
		return "", rest[0], rest, nil
	}
	if c.Stdin == nil {
		return "", "", nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(c.Stdin, script.MaxLine+1))
	if err == nil && len(data) > script.MaxLine {
		err = fmt.Errorf("the code has more than %d bytes", script.MaxLine)
	}
	if len(rest) == 0 {
		rest = []string{"-"}
	}
	return string(data), "", rest, err
}

// files is what a command works on as a session has it. The file dev/stdin is standard input.
type files struct{ c *wasi.Cmd }

var _ script.Project = files{}

func (f files) ID() sam.ProjectID            { return "js-exec" }
func (f files) Owner() string                { return "" }
func (f files) FS(ctx context.Context) fs.FS { return f.c.Files.FS(ctx) }

func (f files) Apply(ctx context.Context, edits ...sam.Edit) error {
	return f.c.Files.Apply(ctx, edits...)
}

func (f files) ReadFile(ctx context.Context, name string) ([]byte, error) {
	if name != "dev/stdin" {
		return fs.ReadFile(f.FS(ctx), name)
	}
	if f.c.Stdin == nil {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(f.c.Stdin, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("standard input has more than %d bytes", maxInput)
	}
	return data, err
}

// Files yields the files below a folder, which has a slash at its end.
func (f files) Files(ctx context.Context, prefix string) iter.Seq2[sam.File, error] {
	return func(yield func(sam.File, error) bool) {
		root := strings.TrimSuffix(prefix, "/")
		if root == "" {
			root = "."
		}
		fs.WalkDir(f.FS(ctx), root, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return fs.SkipAll
			}
			if err == nil && ctx.Err() != nil {
				err = ctx.Err()
			}
			if err == nil && d.IsDir() {
				return nil
			}
			if !yield(sam.File{Name: name}, err) {
				return fs.SkipAll
			}
			return nil
		})
	}
}
