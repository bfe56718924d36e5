package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A work is what servers are asked to do.
type work struct {
	name, app, path string
	setup           bool // /api/setup is asked for first
}

var works = []work{
	{name: "json", app: "json", path: "/api/json"},
	{name: "hono", app: "hono", path: "/api/users/42"},
	{name: "kv", app: "data", path: "/api/kv", setup: true},
	{name: "put", app: "data", path: "/api/put", setup: true},
	{name: "db", app: "data", path: "/api/db", setup: true},
	{name: "batch", app: "data", path: "/api/batch", setup: true},
	{name: "parse", app: "work", path: "/api/parse"},
	{name: "append", app: "work", path: "/api/append"},
	{name: "join", app: "work", path: "/api/join"},
	{name: "fib", app: "work", path: "/api/fib"},
	{name: "wasm", app: "wasm", path: "/api/wasm"},
	{name: "static", app: "json", path: "/file.txt"},
}

// A server is somebody who can do some of it. command starts it on a port, with a
// directory that is empty.
type server struct {
	name    string
	works   string // with commas
	command func(b *bench, w work, port, dir string) ([]string, error)
}

var servers = []server{
	{"net/http", "json,static", func(b *bench, w work, port, dir string) ([]string, error) {
		return []string{b.self, "serve-plain", port}, nil
	}},
	{"node", "json,hono", func(b *bench, w work, port, dir string) ([]string, error) {
		return []string{"node", "js/node.mjs", port, w.app, b.bundled(w.app)}, nil
	}},
	{"workerd", "json,hono,parse,append,join,fib,wasm,static", func(b *bench, w work, port, dir string) ([]string, error) {
		config := dir + "/config.capnp"
		if err := os.WriteFile(config, []byte(b.capnp(w, port, dir, 1)), 0o644); err != nil {
			return nil, err
		}
		if err := os.WriteFile(dir+"/file.txt", tenKB, 0o644); err != nil {
			return nil, err
		}
		return []string{"js/node_modules/@cloudflare/workerd-linux-64/bin/workerd", "serve", config}, nil
	}},
	{"miniflare", "json,hono,kv,put,db,batch", func(b *bench, w work, port, dir string) ([]string, error) {
		return []string{"node", "js/miniflare.mjs", port, b.bundled(w.app), dir}, nil
	}},
	{"samkit in process", "json,hono,kv,put,db,batch,parse,append,join,fib,wasm,static", samkitCommand("inprocess")},
	{"samkit sandboxed", "json,hono,kv,put,db,batch,parse,append,join,fib,wasm,static", samkitCommand("sandboxed")},
}

func samkitCommand(isolation string) func(*bench, work, string, string) ([]string, error) {
	return func(b *bench, w work, port, dir string) ([]string, error) {
		return []string{b.self, "serve-samkit", port, isolation, w.app, dir}, nil
	}
}

// capnp is workerd's configuration of n workers on ports from port on. The static
// work is done by its service for directories.
func (b *bench) capnp(w work, port, dir string, n int) string {
	first, _ := strconv.Atoi(port)
	var services, sockets strings.Builder
	module := ""
	if w.app == "wasm" {
		module = `, (name = "fib.wasm", wasm = embed "../fib.wasm")`
	}
	for i := range n {
		fmt.Fprintf(&services, "(name = \"w%d\", worker = (modules = [(name = \"worker\", esModule = embed \"../%s.mjs\")%s], compatibilityDate = \"2025-09-01\")),\n", i, w.app, module)
		service := fmt.Sprintf("w%d", i)
		if w.name == "static" {
			service = "files"
		}
		fmt.Fprintf(&sockets, "(name = \"s%d\", address = \"127.0.0.1:%d\", http = (), service = %q),\n", i, first+i, service)
	}
	return fmt.Sprintf(`using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [%s (name = "files", disk = (path = %q))],
  sockets = [%s]
);
`, services.String(), dir, sockets.String())
}

// A process is a server that runs.
type process struct {
	cmd *exec.Cmd
	url string
	log *os.File
	run context.CancelFunc
}

// start runs a server, on its core, until it answers. It returns how long that took.
func (b *bench) start(ctx context.Context, s server, w work) (*process, time.Duration, error) {
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return nil, 0, err
	}
	port, err := freePort()
	if err != nil {
		return nil, 0, err
	}
	args, err := s.command(b, w, port, dir)
	if err != nil {
		return nil, 0, err
	}
	return b.launch(ctx, args, dir, "http://127.0.0.1:"+port, w)
}

func (b *bench) launch(ctx context.Context, args []string, dir, url string, w work) (*process, time.Duration, error) {
	log, err := os.Create(dir + "/log")
	if err != nil {
		return nil, 0, err
	}
	p := &process{url: url, log: log}
	ctx, p.run = context.WithCancel(ctx)
	p.cmd = exec.CommandContext(ctx, "taskset", append([]string{"-c", strconv.Itoa(b.server)}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = 5 * time.Second
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		log.Close()
		return nil, 0, err
	}
	for {
		err := ask(p.url + w.path0())
		if err == nil {
			break
		}
		if time.Since(began) > 30*time.Second || ctx.Err() != nil {
			p.stop()
			said, _ := os.ReadFile(log.Name())
			return nil, 0, fmt.Errorf("%s does not serve: %w\n%s", args[0], err, said)
		}
		time.Sleep(time.Millisecond)
	}
	took := time.Since(began)
	return p, took, ask(p.url + w.path)
}

// path0 is what is asked for first.
func (w work) path0() string {
	if w.setup {
		return "/api/setup"
	}
	return w.path
}

func (p *process) stop() {
	p.run()
	p.cmd.Wait()
	p.log.Close()
}

func ask(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != 200 {
		err = fmt.Errorf("%s %.300s", resp.Status, body)
	}
	if err == nil && len(body) == 0 {
		err = errors.New("an empty answer")
	}
	return err
}

func freePort() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	return port, err
}
