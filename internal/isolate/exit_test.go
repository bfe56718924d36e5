package isolate

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestEndings(t *testing.T) {
	tests := []struct {
		command string
		cause   Cause
		reason  error
		say     string // part of the error's text
	}{
		{"exit 0", Exited, nil, "exited"},
		{"exit 7", Crashed, nil, "exit status 7"},
		{"fail it is over", Crashed, nil, "it is over"},
		{"panic it broke", Crashed, nil, "it broke"},
		{"segv", Crashed, nil, "nil pointer"},
		{"make 1099511627776", Memory, ErrMemory, "memory"},
		{"make 4000000000", Memory, ErrMemory, "memory"},
		{"grow", Memory, ErrMemory, "memory"},
		{"stderr 4000", Killed, ErrNoise, "standard error"},
		{"closelink", Killed, ErrLinkClosed, "closed its link"},
		{"raw \x04\x00\x00\x00\x01\x02\x03\x04", Killed, ErrFrame, "less than its header"},
		{"raw \xff\xff\xff\xff\x01\x02\x03\x04", Killed, ErrFrame, "over the limit"},
		{"raw \x05\x00\x00\x00\x00\x00\x00\x00\x00", Killed, ErrFrame, "second ready"},
		{"raw garbage, as text", Killed, ErrFrame, "over the limit"},
	}
	levels(t, func(t *testing.T, l Level) {
		s := newSpawner(t)
		for _, tt := range tests {
			t.Run(tt.command, func(t *testing.T) {
				o := &Options{Level: l, Memory: 64 << 20}
				exit := endOf(t, s, o, tt.command)
				if exit.Cause != tt.cause || !errors.Is(exit, tt.reason) && tt.reason != nil || !strings.Contains(exit.Error(), tt.say) {
					t.Errorf("ended with %v (cause %v, reason %v)", exit, exit.Cause, exit.Reason)
				}
				c := newCaller(start(t, s, o))
				if _, err := c.call(frameEcho, "next"); err != nil {
					t.Error("the next worker:", err)
				}
				c.p.Kill(nil)
			})
		}
	})
}

func TestFrameLimit(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: Process, MaxFrame: 1000})
	c := newCaller(p)
	if _, err := c.call(frameEcho, strings.Repeat("x", 1000-headerSize)); err != nil {
		t.Fatal(err)
	}
	c.call(frameEcho, strings.Repeat("x", 1001-headerSize))
	if exit := waitExit(t, p, nil); !errors.Is(exit, ErrFrame) {
		t.Error(exit)
	}
}

func TestHandlerError(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: Process})
	want := errors.New("unheard of")
	p.Run(func(byte, uint32, []byte) error { return want })
	p.Send(context.Background(), func(b []byte) []byte { return AppendFrame(b, frameEcho, 1, "") })
	if exit := waitExit(t, p, nil); !errors.Is(exit, want) || exit.Cause != Killed {
		t.Error(exit)
	}
}

func TestFlood(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: best()})
	n := 0
	enough := errors.New("enough")
	p.Run(func(byte, uint32, []byte) error {
		if n++; n == 10000 {
			p.Kill(enough)
		}
		return nil
	})
	p.Send(context.Background(), func(b []byte) []byte {
		return AppendFrame(b, frameDo, 1, "flood "+strings.Repeat("x", 4000))
	})
	if exit := waitExit(t, p, nil); !errors.Is(exit, enough) {
		t.Error(exit)
	}
}

// spin keeps the worker busy: it reads nothing that is sent after.
func spin(t *testing.T, p *Proc) {
	t.Helper()
	newCaller(p)
	err := p.Send(context.Background(), func(b []byte) []byte { return AppendFrame(b, frameDo, 1, "spin 60000") })
	if err != nil {
		t.Fatal(err)
	}
}

func TestSendToBusyWorker(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: best()})
	spin(t, p)
	big := strings.Repeat("x", 256<<10)
	send := func(ctx context.Context) error {
		return p.Send(ctx, func(b []byte) []byte { return AppendFrame(b, frameEcho, 99, big) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var err error
	n := 0
	for begin := time.Now(); err == nil && time.Since(begin) < 5*time.Second; n++ {
		err = send(ctx)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("after %d frames: %v", n, err)
	}
	waiting := make(chan error)
	for range 4 {
		go func() { waiting <- send(context.Background()) }()
	}
	time.Sleep(20 * time.Millisecond)
	p.Kill(errors.New("too busy"))
	for range 4 {
		if err := <-waiting; err == nil {
			t.Error("sent to a dead worker")
		}
	}
	waitExit(t, p, nil)
}

func TestPostBacklog(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: best()})
	spin(t, p)
	big := strings.Repeat("x", 8<<20)
	var err error
	for range 20 {
		if err = p.Post(func(b []byte) []byte { return AppendFrame(b, frameEcho, 99, big) }); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrBacklog) {
		t.Error(err)
	}
	if exit := waitExit(t, p, nil); !errors.Is(exit, ErrBacklog) {
		t.Error(exit)
	}
}

func TestSendRefusesIllFormed(t *testing.T) {
	p := start(t, newSpawner(t), &Options{Level: Process})
	c := newCaller(p)
	for name, f := range map[string]func([]byte) []byte{
		"half a header": func(b []byte) []byte { return append(b, 1, 2, 3) },
		"too long":      func(b []byte) []byte { return append(binary.LittleEndian.AppendUint32(b, 100), 1, 2, 3, 4, 5, 6) },
		"huge": func(b []byte) []byte {
			return append(binary.LittleEndian.AppendUint32(b, MaxFrame+1), 1, 2, 3, 4, 5, 6)
		},
		"not ended": func(b []byte) []byte { b, _ = Begin(b, 1, 1); return b },
		"shortened": func(b []byte) []byte { return nil },
	} {
		if err := p.Send(context.Background(), f); err == nil && name != "shortened" {
			t.Errorf("%s: sent", name)
		}
	}
	func() {
		defer func() { recover() }()
		p.Send(context.Background(), func(b []byte) []byte { panic("in f") })
	}()
	if got, err := c.call(frameEcho, "well"); err != nil || got != "well" {
		t.Errorf("%q, %v", got, err)
	}
}
