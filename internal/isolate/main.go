package isolate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
)

// Exit codes of a worker, beside those of the Go runtime.
const (
	exitStartup = 3 // the worker could not be set up
	exitServe   = 4 // serve returned an error; 1 would mean killed on Windows
)

// marker is the environment variable that makes a process a worker.
const marker = "SAMKIT_WORKER"

// protocol changes when the marker or the ready frame do: a worker started by
// Command may be an older program.
const protocol = 2

// state is what this process is, for NewSpawner and MainCalled. It cannot be a
// field of something: Main runs before anything exists, and says what the
// whole process is.
var state atomic.Int32

const (
	mainNotCalled int32 = iota
	mainReturned        // in the parent
	mainServing         // in a worker
)

// MainCalled reports whether Main was called. If not, a worker started from
// this program would run it again from its beginning, and start workers itself.
func MainCalled() bool { return state.Load() != mainNotCalled }

// Main runs a worker and exits, if this process was started as one: it applies
// the limits and the sandbox, then calls serve. The worker's exit code is 0 if
// serve returns nil or io.EOF. In any other process Main returns at once.
//
// Main belongs at the very top of main, and of TestMain. What the program's
// packages did before, when they were initialised, they do in the worker too:
// files that they opened are closed, but what they read stays in memory.
func Main(serve func(*Link) error) {
	mark, ok := os.LookupEnv(marker)
	if !ok {
		state.Store(mainReturned)
		return
	}
	state.Store(mainServing)
	os.Unsetenv(marker)
	os.Exit(work(mark, serve))
}

func work(mark string, serve func(*Link) error) int {
	l, err := openLink()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is set, but this process was not started as a worker: %v\n", marker, err)
		return exitStartup
	}
	cfg, err := parseMarker(mark)
	if err == nil {
		err = confine(cfg)
	}
	l.Send(func(b []byte) []byte { return appendReady(b, err) })
	if ferr := l.Flush(); ferr != nil || err != nil {
		return exitStartup
	}
	err = serve(l)
	if ferr := l.Flush(); err == nil {
		err = ferr
	}
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return exitServe
	}
	return 0
}

// config is what the parent tells a worker in its marker.
type config struct {
	level    Level
	memory   int64 // bytes; 0 means no limit
	compiles bool  // may make memory executable
}

func (c config) marker() string {
	return fmt.Sprintf("%d %d %d %t", protocol, c.level, c.memory, c.compiles)
}

func parseMarker(s string) (config, error) {
	f := strings.Fields(s)
	if len(f) == 0 || f[0] != strconv.Itoa(protocol) {
		return config{}, fmt.Errorf("the worker program speaks protocol %d, it was asked for %.20q: build it from the same version", protocol, s)
	}
	if len(f) != 4 {
		return config{}, fmt.Errorf("malformed %s %.80q", marker, s)
	}
	level, err1 := strconv.ParseUint(f[1], 10, 8)
	memory, err2 := strconv.ParseInt(f[2], 10, 64)
	compiles, err3 := strconv.ParseBool(f[3])
	if err := errors.Join(err1, err2, err3); err != nil {
		return config{}, fmt.Errorf("malformed %s: %w", marker, err)
	}
	return config{Level(level), memory, compiles}, nil
}

// confine applies cfg to this process. What is opened after the limits are set
// would fail, so the order matters.
func confine(cfg config) error {
	setHeapLimit(cfg.memory)
	if err := closeInherited(); err != nil {
		return fmt.Errorf("close inherited files: %w", err)
	}
	if err := setLimits(cfg); err != nil {
		return fmt.Errorf("set resource limits: %w", err)
	}
	if cfg.level == Process {
		return nil
	}
	return installFilter(cfg.compiles)
}

// setHeapLimit makes the collector work harder before the hard limit ends the
// process.
func setHeapLimit(memory int64) {
	if memory > 0 {
		debug.SetMemoryLimit(memory - memory/8)
	}
}

// The memory frame, from the parent, has type 0 and call 0: the new limit in
// bytes, which the system enforces already, as eight bytes.
func appendMemory(b []byte, memory int64) []byte {
	b, at := Begin(b, 0, 0)
	return End(AppendUint64(b, uint64(memory)), at)
}

func applyMemory(payload string) error {
	r := NewReader(payload)
	memory := r.Uint64()
	if err := r.Close(); err != nil {
		return err
	}
	setHeapLimit(int64(min(memory, 1<<62)))
	return nil
}

// The ready frame has type 0 and call 0: the protocol as four bytes, and what
// went wrong as a string.
func appendReady(b []byte, err error) []byte {
	b, at := Begin(b, 0, 0)
	b = AppendUint32(b, protocol)
	msg := ""
	if err != nil {
		msg = err.Error()
	}
	return End(AppendString(b, msg), at)
}

func parseReady(frame []byte) error {
	typ, call := header(frame)
	r := NewReader(string(frame[headerSize:]))
	version, msg := r.Uint32(), r.String()
	if err := r.Close(); err != nil || typ != 0 || call != 0 {
		return errors.New("its first frame is not the one expected")
	}
	if msg != "" {
		return errors.New(msg)
	}
	if version != protocol {
		return fmt.Errorf("it speaks protocol %d, not %d: build it from the same version", version, protocol)
	}
	return nil
}
