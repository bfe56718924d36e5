// Compare measures samkit beside plain net/http, Node, workerd and Miniflare, and prints
// Markdown tables. See README.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"samkit.dev/host/engine"
)

func main() {
	engine.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// settings are what the command line says.
type settings struct {
	duration    time.Duration
	rounds      int
	connections int
	server, wrk int // cores
	cases       string
	servers     string
	parts       string
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && roles[args[0]] != nil {
		return roles[args[0]](ctx, args[1:])
	}
	var s settings
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.DurationVar(&s.duration, "duration", 5*time.Second, "`time` of a measurement")
	flags.IntVar(&s.rounds, "rounds", 3, "`number` of measurements, of which the median counts")
	flags.IntVar(&s.connections, "connections", 16, "`number` of connections")
	flags.IntVar(&s.server, "server-core", 0, "`core` of the server")
	flags.IntVar(&s.wrk, "wrk-core", 1, "`core` of wrk")
	flags.StringVar(&s.cases, "cases", "", "`names`, with commas; all if empty")
	flags.StringVar(&s.servers, "servers", "", "`names`, with commas; all if empty")
	flags.StringVar(&s.parts, "parts", "requests,start,memory", "`names` of the tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if s.rounds < 1 || s.connections < 1 || s.duration < time.Second {
		return errors.New("at least one round, one connection and one second")
	}
	b, err := newBench(ctx, s)
	if err != nil {
		return err
	}
	defer b.close()
	return b.all(ctx)
}

// roles are what this program runs as for its own measurements.
var roles = map[string]func(context.Context, []string) error{
	"serve-plain":  servePlain,
	"serve-samkit": serveSamkit,
	"cold":         cold,
	"warm":         warm,
}

// A bench is what a run of the program works with.
type bench struct {
	settings
	dir  string // temporary
	self string
}

func newBench(ctx context.Context, s settings) (*bench, error) {
	for _, tool := range []string{"wrk", "taskset", "node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%w (see README.md for what is needed)", err)
		}
	}
	if _, err := os.Stat("js/package.json"); err != nil {
		return nil, errors.New("run it in internal/compare")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := install(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return nil, err
	}
	b := &bench{settings: s, dir: dir, self: self}
	if err := b.bundle(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// install brings js/node_modules to what the lockfile says, once.
func install(ctx context.Context) error {
	lock, err := os.ReadFile("js/package-lock.json")
	if err != nil {
		return err
	}
	const stamp = "js/node_modules/.compare-lock"
	if have, err := os.ReadFile(stamp); err == nil && string(have) == string(lock) {
		return nil
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir, cmd.Stdout, cmd.Stderr = "js", os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	return os.WriteFile(stamp, lock, 0o644)
}

// bundle makes for workerd and Miniflare what they take: one file an app.
func (b *bench) bundle(ctx context.Context) error {
	for _, app := range []string{"json", "hono", "data", "work", "wasm"} {
		cmd := exec.CommandContext(ctx, "js/node_modules/.bin/esbuild", "apps/"+app+".js", "--bundle", "--format=esm", "--target=es2022", "--external:*.wasm",
			"--outfile="+b.bundled(app), "--log-level=warning")
		cmd.Env = append(os.Environ(), "NODE_PATH=js/node_modules")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("bundle %s: %w", app, err)
		}
	}
	data, err := os.ReadFile("apps/fib.wasm")
	if err != nil {
		return err
	}
	return os.WriteFile(b.dir+"/fib.wasm", data, 0o644)
}

func (b *bench) bundled(app string) string { return b.dir + "/" + app + ".mjs" }

// all prints the tables that were asked for.
func (b *bench) all(ctx context.Context) error {
	printMachine(ctx)
	for _, part := range []struct {
		name  string
		print func(context.Context) error
	}{{"requests", b.requests}, {"start", b.starts}, {"memory", b.memory}} {
		if !chosen(b.parts, part.name) {
			continue
		}
		if err := part.print(ctx); err != nil {
			return err
		}
	}
	return nil
}

// chosen reports whether list, with commas, names one; the empty list names all.
func chosen(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// median is that of at least one value.
func median[T cmp.Ordered](values []T) T {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[len(values)/2]
}
