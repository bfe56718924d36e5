// Shell is a command line over the files of a folder, in which nothing else of the
// machine can be reached.
//
//	go run ./examples/shell -C app -c 'grep -rn TODO . | wc -l'
//	go run ./examples/shell -C app script.sh argument
//	go run ./examples/shell -C app
//
// What commands write is written to the folder. Without -c and a script it reads lines
// and runs each; the interrupt key ends what runs. Its exit code is that of the script. The command js-exec runs JavaScript,
// in a process that this one starts for it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/tool/script/jsexec"
	"samkit.dev/wasi"
)

func main() {
	engine.Main() // runs JavaScript if this process was started for that
	dir := flag.String("C", ".", "the folder")
	script := flag.String("c", "", "a script to run")
	cache := flag.String("cache", "", "folder for compiled code, which makes starts faster")
	timeout := flag.Duration("timeout", time.Minute, "how long a script, or a line, may take")
	flag.Parse()
	js := &javascript{}
	s := &session{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	code, err := s.run(*dir, *script, flag.Args(), &wasi.Options{
		CacheDir: *cache, Timeout: *timeout, Output: 1 << 30, Builtins: map[string]wasi.Builtin{"js-exec": js.exec},
	})
	js.close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shell:", err)
	}
	os.Exit(code)
}

// A javascript is an engine that is started when js-exec is first used.
type javascript struct {
	mu     sync.Mutex // guards engine
	engine *engine.Engine
}

func (j *javascript) exec(ctx context.Context, c *wasi.Cmd) error {
	e, err := j.start()
	if err != nil {
		return err
	}
	return jsexec.New(e)(ctx, c)
}

func (j *javascript) start() (_ *engine.Engine, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.engine == nil {
		if j.engine, err = engine.New(&engine.Options{Isolation: engine.Sandboxed}); err != nil {
			fmt.Fprintf(os.Stderr, "%v\nJavaScript runs in a process without a filter.\n", err)
			j.engine, err = engine.New(&engine.Options{Isolation: engine.Process})
		}
	}
	return j.engine, err
}

func (j *javascript) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.engine != nil {
		j.engine.Close()
	}
}

// A session is one use of the program.
type session struct {
	in       io.Reader
	out, err io.Writer
}

func (s *session) run(dir, script string, args []string, opts *wasi.Options) (code int, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 1, err
	}
	defer root.Close()
	runner, err := wasi.New(opts)
	if err != nil {
		return 1, err
	}
	defer runner.Close()
	cmd := &wasi.Cmd{Files: folder{root}, Stdout: s.out, Stderr: s.err}
	switch {
	case script != "":
		cmd.Args, cmd.Stdin = append([]string{"shell"}, args...), s.in
		return exitCode(interruptible(func(ctx context.Context) error { return runner.Shell(ctx, script, cmd) }))
	case len(args) > 0:
		cmd.Args, cmd.Stdin = append([]string{"sh"}, args...), s.in
		return exitCode(interruptible(func(ctx context.Context) error { return runner.Run(ctx, cmd) }))
	}
	sh, err := runner.NewShell(cmd)
	if err != nil {
		return 1, err
	}
	return s.lines(sh)
}

// lines runs lines until there are no more, or one is exit.
func (s *session) lines(sh *wasi.Shell) (code int, err error) {
	lines := bufio.NewScanner(s.in)
	lines.Buffer(nil, 1<<20)
	for {
		fmt.Fprintf(s.err, "%s$ ", sh.Dir())
		if !lines.Scan() {
			fmt.Fprintln(s.err)
			return code, lines.Err()
		}
		code, err = exitCode(interruptible(func(ctx context.Context) error { return sh.Run(ctx, lines.Text()) }))
		if err != nil {
			fmt.Fprintln(s.err, "shell:", err)
		}
		if sh.Exited() {
			return code, nil
		}
	}
}

// interruptible calls f with a context that the interrupt key ends.
func interruptible(f func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return f(ctx)
}

// exitCode takes the exit code out of an error. An error is left if there is more to
// say about it.
func exitCode(err error) (int, error) {
	var exit *wasi.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit):
		return exit.Code, exit.Err
	}
	return 1, err
}
