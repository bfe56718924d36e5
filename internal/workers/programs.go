package workers

import (
	"crypto/sha256"
	"runtime"
	"sync"
	"time"
	"weak"

	"samkit.dev/internal/jsrt"
)

// programs are what the runners of this process have compiled, so that projects made from one
// template, and the sessions of one project, share it: it is most of what an app with
// libraries takes, and of the time until its first answer. A program lives as long as
// somebody has it. It holds no state of those who run it.
type programs struct {
	mu    sync.Mutex // guards known
	known map[programKey]weak.Pointer[jsrt.Program]
}

type programKey struct {
	name  string // in stacks
	code  [sha256.Size]byte
	match time.Duration // how long its regular expressions may match
}

func newPrograms() *programs {
	return &programs{known: map[programKey]weak.Pointer[jsrt.Program]{}}
}

// compile returns the guarded program of code. Runners may call it at once.
func (s *programs) compile(name, code string, match time.Duration) (*jsrt.Program, error) {
	key := programKey{name, sha256.Sum256([]byte(code)), match}
	if p := s.get(key, nil); p != nil {
		return p, nil
	}
	p, err := jsrt.CompileGuarded(name, []byte(code))
	if err != nil {
		return nil, err
	}
	armProgram(p.Program, match)
	return s.get(key, p), nil
}

// get returns the program of a key. If there is none it is made, which may be nil.
func (s *programs) get(key programKey, made *jsrt.Program) *jsrt.Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.known[key].Value(); p != nil || made == nil {
		return p
	}
	s.known[key] = weak.Make(made)
	runtime.AddCleanup(made, s.forget, key)
	return made
}

// forget drops the key of a program that is gone, unless it has another by now.
func (s *programs) forget(key programKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[key].Value() == nil {
		delete(s.known, key)
	}
}
