package wasi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The interpreter runs the left half of a pipe in a goroutine of its own, where nobody catches a fault and the
// program would end. So both halves become functions that a command of ours calls: a | b is
//
//	{ f1() { a; }; samkit--half f1; } | ( f2() { b; }; samkit--half f2; )
//
// There a fault is caught, and ends the half. The right half is a subshell, as in bash.

// Bounds of what runs at once, and inside each other.
const (
	maxHalves = 128  // halves of pipes: each is a goroutine and half of a pipe of the system
	maxFeeds  = 256  // files that a script has open for reading: each is a pipe of the system
	maxFrames = 5000 // of Go's stack: it ends the program if it grows over a gigabyte
)

// halve rewrites a pipe.
func (s *shellState) halve(n *syntax.BinaryCmd) {
	n.X = &syntax.Stmt{Cmd: &syntax.Block{Stmts: s.halfOf(n.X)}}
	n.Y = &syntax.Stmt{Cmd: &syntax.Subshell{Stmts: s.halfOf(n.Y)}}
}

func (s *shellState) halfOf(half *syntax.Stmt) []*syntax.Stmt {
	s.mu.Lock()
	s.serial++
	name := fmt.Sprint(hiddenHalfName, s.serial)
	s.mu.Unlock()
	call := &syntax.CallExpr{Args: []*syntax.Word{literal(hiddenHalf), literal(name)}}
	return []*syntax.Stmt{
		{Cmd: &syntax.FuncDecl{Parens: true, Name: &syntax.Lit{Value: name}, Body: &syntax.Stmt{Cmd: &syntax.Block{Stmts: []*syntax.Stmt{half}}}}},
		{Cmd: call},
	}
}

const hiddenHalfName = "samkit--f"

// half runs a half of a pipe.
func (s *shellState) half(ctx context.Context, hc interp.HandlerContext, name string) error {
	s.mu.Lock()
	s.halves++
	full := s.halves > maxHalves
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.halves--
		s.mu.Unlock()
	}()
	if full {
		return fmt.Errorf("more than %d commands at once", maxHalves)
	}
	return builtin(ctx, hc, []string{"eval", name + ` "$@"`})
}

// tooDeep reports whether functions and scripts have called each other too often.
func tooDeep() bool {
	var one [1]uintptr
	return runtime.Callers(maxFrames, one[:]) > 0
}

var errDeep = errors.New("nested too deeply")

// A shallow reader gives a script to the parser, which recurses with it, in small pieces, and ends it where that
// goes too deep.
type shallow struct{ r io.Reader }

func (s shallow) Read(buf []byte) (int, error) {
	if tooDeep() {
		return 0, errDeep
	}
	return s.r.Read(buf[:min(len(buf), 256)])
}
