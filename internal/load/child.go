package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A child is this program in one of its roles. It prints one line when it is ready, runs until its
// standard input ends, and may print another line then.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Reader
	ready string
}

// start runs a role and waits until it is ready. Its priority is lowered by nice.
func start(ctx context.Context, nice int, role ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self, role...)}
	c.cmd.Stderr = os.Stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if nice > 0 {
		lowerPriority(c.pid(), nice)
	}
	if c.ready, err = c.out.ReadString('\n'); err != nil {
		c.stdin.Close()
		return nil, fmt.Errorf("%s did not get ready: %w", role[0], c.cmd.Wait())
	}
	c.ready = strings.TrimSpace(c.ready)
	return c, nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// end has the child finish, and reads what it says at its end into answer, unless that is nil.
func (c *child) end(answer any) error {
	c.stdin.Close()
	said, readErr := io.ReadAll(c.out)
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", c.cmd.Args[1], err)
	}
	if answer == nil {
		return nil
	}
	if readErr != nil {
		return readErr
	}
	return json.Unmarshal(said, answer)
}

// untilEnd is the child's side: it says that it is ready and returns when it is to end.
func untilEnd(ctx context.Context, ready string) {
	fmt.Println(ready)
	done := make(chan struct{})
	go func() { // ends with the standard input, or with the process
		io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
