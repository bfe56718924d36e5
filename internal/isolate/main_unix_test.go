//go:build unix

package isolate

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func closeLink(l *Link) error {
	unix.Close(linkFD)
	time.Sleep(time.Minute)
	return nil
}

// middle is a parent of its own, for tests that kill it. It prints the ids of
// its workers.
func middle() {
	s := NewSpawner()
	for range 3 {
		p, err := s.Start(context.Background(), &Options{Level: Process})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		p.Run(func(byte, uint32, []byte) error { return nil })
		p.Send(context.Background(), func(b []byte) []byte { return AppendFrame(b, frameDo, 1, "spin 60000") })
		fmt.Println(p.PID())
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
}

func alive(pid int) bool { return unix.Kill(pid, 0) == nil }
