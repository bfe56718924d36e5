package isolate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "forgetful" {
		forgetful()
		return
	}
	Main(serve)
	if os.Getenv("ISOLATE_TEST_PARENT") != "" {
		middle()
		return
	}
	os.Exit(m.Run())
}

// forgetful is a program that does not call Main and starts a worker, which
// would be itself.
func forgetful() {
	s := NewSpawner()
	defer s.Close()
	_, err := s.Start(context.Background(), &Options{Level: Process})
	fmt.Fprintln(os.Stderr, "forgetful:", err)
}

const (
	frameEcho = iota + 1
	frameDo   // payload: a command
	frameDone // payload: its result
)

// serve is the worker of the tests.
func serve(l *Link) error {
	for {
		f, _, err := l.Next(time.Time{})
		if err != nil {
			return err
		}
		switch f.Type {
		case frameEcho:
			l.Send(func(b []byte) []byte { return AppendFrame(b, frameEcho, f.Call, f.Payload) })
		case frameDo:
			verb, arg, _ := strings.Cut(f.Payload, " ")
			result, err := do(l, verb, arg)
			if err != nil {
				return err
			}
			l.Send(func(b []byte) []byte { return AppendFrame(b, frameDone, f.Call, result) })
		default:
			return fmt.Errorf("unexpected frame %d", f.Type)
		}
	}
}

var (
	sink    [][]byte
	nowhere *int
)

func do(l *Link, verb, arg string) (string, error) {
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "exit":
		os.Exit(n)
	case "fail":
		return "", errors.New(arg)
	case "panic":
		panic(arg)
	case "segv":
		*nowhere = 1
	case "stderr":
		line := strings.Repeat("x", 1023) + "\n"
		for range n {
			os.Stderr.WriteString(line)
		}
		return "written", nil
	case "raw":
		l.t.write([]byte(arg))
	case "flood": // frames without end
		for {
			l.Send(func(b []byte) []byte { return AppendFrame(b, frameEcho, 0, arg) })
			if err := l.Flush(); err != nil {
				return "", err
			}
		}
	case "make":
		sink = append(sink, make([]byte, n))
		return fmt.Sprint(len(sink[0])), nil
	case "grow", "fill": // by MiB, for ever or as many
		for verb == "grow" || len(sink) < n {
			sink = append(sink, bytes.Repeat([]byte{1}, 1<<20))
		}
		return "full", nil
	case "waste":
		for range n {
			sink = [][]byte{bytes.Repeat([]byte{1}, 1<<20)}
		}
		return "wasted", nil
	case "spin":
		for until := time.Now().Add(time.Duration(n) * time.Millisecond); time.Now().Before(until); {
		}
		return "spun", nil
	case "sleep":
		time.Sleep(time.Duration(n) * time.Millisecond)
		return "slept", nil
	case "goroutines": // many threads at once, as a runtime under load starts
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				runtime.LockOSThread()
				time.Sleep(20 * time.Millisecond)
			})
		}
		wg.Wait()
		return "joined", nil
	case "env":
		return strings.Join(os.Environ(), "\n"), nil
	case "deadline":
		start := time.Now()
		_, ok, err := l.Next(start.Add(time.Duration(n) * time.Millisecond))
		return fmt.Sprint(ok, err, time.Since(start).Milliseconds()), nil
	case "closelink":
		return "", closeLink(l)
	default:
		return doSystem(verb, arg)
	}
	return "", nil
}

func newSpawner(t testing.TB) *Spawner {
	t.Helper()
	s := NewSpawner()
	t.Cleanup(func() { s.Close() })
	return s
}

func start(t testing.TB, s *Spawner, o *Options) *Proc {
	t.Helper()
	p, err := s.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// caller matches answers with calls, as a pool of workers would.
type caller struct {
	p  *Proc
	mu sync.Mutex
	n  uint32
	in map[uint32]chan string
}

func newCaller(p *Proc) *caller {
	c := &caller{p: p, in: make(map[uint32]chan string)}
	p.Run(func(typ byte, call uint32, payload []byte) error {
		c.mu.Lock()
		ch := c.in[call]
		delete(c.in, call)
		c.mu.Unlock()
		if ch == nil {
			return fmt.Errorf("answer to no call: %d", call)
		}
		ch <- string(payload)
		return nil
	})
	return c
}

func (c *caller) call(typ byte, payload string) (string, error) {
	ch := make(chan string, 1)
	c.mu.Lock()
	c.n++
	id := c.n
	c.in[id] = ch
	c.mu.Unlock()
	if err := c.p.Send(context.Background(), func(b []byte) []byte { return AppendFrame(b, typ, id, payload) }); err != nil {
		return "", err
	}
	select {
	case s := <-ch:
		return s, nil
	case <-c.p.Done():
		select {
		case s := <-ch:
			return s, nil
		default:
		}
		return "", c.p.Err()
	}
}

// endOf starts a worker, has it do command and returns how it ended.
func endOf(t *testing.T, s *Spawner, o *Options, command string) *ExitError {
	t.Helper()
	p := start(t, s, o)
	_, err := newCaller(p).call(frameDo, command)
	return waitExit(t, p, err)
}

func waitExit(t *testing.T, p *Proc, context any) *ExitError {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(10 * time.Second):
		p.Kill(errors.New("test: too late"))
		t.Fatalf("the worker lives on (%v)", context)
	}
	var exit *ExitError
	if !errors.As(p.Err(), &exit) {
		t.Fatalf("Err() = %v", p.Err())
	}
	return exit
}

// levels runs a test at each level that this machine has.
func levels(t *testing.T, f func(t *testing.T, l Level)) {
	for _, l := range []Level{Sandboxed, Process} {
		t.Run(l.String(), func(t *testing.T) {
			if err := Probe(l); err != nil {
				if runtime.GOOS == "linux" && runtime.GOARCH != "386" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			f(t, l)
		})
	}
}

// best is the strongest level that this machine has.
func best() Level {
	if Probe(Sandboxed) == nil {
		return Sandboxed
	}
	return Process
}
