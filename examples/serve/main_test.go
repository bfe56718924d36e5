package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"samkit.dev/host/engine"
)

// The test binary is the program as well, so that it is tested from outside without
// being built again.
func TestMain(m *testing.M) {
	engine.Main()
	if os.Getenv("SERVE_IS_THE_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A program is a run of the command.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string // what it printed, with a slash at the end
	out    *bufio.Reader
	stderr *buffer
}

// start runs the command and waits until it serves. The end of the test ends it.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{t: t, stderr: &buffer{}}
	p.cmd = exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	p.cmd.Env = append(os.Environ(), "SERVE_IS_THE_PROGRAM=1")
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	p.out = bufio.NewReader(out)
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("it printed %q and ended; on standard error:\n%s", line, p.stderr)
	}
	url, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "serving ")
	if !ok || !strings.HasPrefix(url, "http://127.0.0.1:") && !strings.HasPrefix(url, "http://localhost:") {
		t.Fatalf("it printed %q", line)
	}
	p.url = url
	return p
}

// stop interrupts the program, which must end well and have printed no more.
func (p *program) stop() {
	if p.cmd.ProcessState != nil {
		return
	}
	p.t.Helper()
	if runtime.GOOS == "windows" { // which has no signal to send
		p.cmd.Process.Kill()
		p.cmd.Wait()
		return
	}
	p.cmd.Process.Signal(os.Interrupt)
	late := time.AfterFunc(8*time.Second, func() { p.cmd.Process.Kill() })
	rest, _ := io.ReadAll(p.out)
	err := p.cmd.Wait()
	if !late.Stop() {
		p.t.Error("an interrupt does not end it")
	} else if err != nil {
		p.t.Errorf("it ended with %v; on standard error:\n%s", err, p.stderr)
	}
	if len(rest) > 0 {
		p.t.Errorf("it printed more than one line: %q", rest)
	}
}

// A reply is a response that was read.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request to a path of the app. pairs are names and values of headers.
func (p *program) do(method, path, body string, pairs ...string) reply {
	p.t.Helper()
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Set(pairs[i], pairs[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		p.t.Fatalf("%v; on standard error:\n%s", err, p.stderr)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(data)}
}

// client follows no redirect.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (p *program) get(path string, pairs ...string) reply {
	p.t.Helper()
	return p.do("GET", path, "", pairs...)
}

// want checks that a path is answered with a status and a body that holds text.
func (p *program) want(path string, status int, text string) reply {
	p.t.Helper()
	r := p.get(path)
	p.check(path, r, status, text)
	return r
}

func (p *program) check(what string, r reply, status int, text string) {
	p.t.Helper()
	if r.status != status || !strings.Contains(r.body, text) {
		p.t.Errorf("%s: %d %.300q, want %d and %q", what, r.status, r.body, status, text)
	}
}

// becomes waits until a path is answered so.
func (p *program) becomes(path string, status int, text string) {
	p.t.Helper()
	var r reply
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if r = p.get(path); r.status == status && strings.Contains(r.body, text) {
			return
		}
	}
	p.t.Fatalf("%s stays %d %.300q, want %d and %q; on standard error:\n%s", path, r.status, r.body, status, text, p.stderr)
}

// says waits until standard error holds text.
func (p *program) says(text string) {
	p.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(p.stderr.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("standard error has %q, not %q", p.stderr, text)
		}
	}
}

// fails runs the command, which must refuse, and returns what it says.
func fails(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SERVE_IS_THE_PROGRAM=1")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	if err := cmd.Wait(); err == nil {
		t.Errorf("%q was taken", args)
	}
	if out.Len() > 0 {
		t.Errorf("%q: it printed %q", args, &out)
	}
	return stderr.String()
}

// write puts files into a folder: names and contents.
func write(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A buffer may be read while it is written.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(data)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

var _ fmt.Stringer = (*buffer)(nil)
