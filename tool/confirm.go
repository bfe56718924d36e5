package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"samkit.dev/host"
)

// A Confirm asks a person whether a call may be made. It returns when ctx ends at the
// latest; an error, like the zero Answer, denies. A set asks one question at a time. A
// nil Confirm denies.
type Confirm func(ctx context.Context, q Question) (Answer, error)

// AnswerWithin is how long a question waits. Then the call is denied.
const AnswerWithin = 5 * time.Minute

// A Question is what a person is asked.
type Question struct {
	Call  host.Call
	Func  host.Func
	Args  json.RawMessage // don't keep
	Grant Grant           // by which the call would be permitted
	Why   string          // the code's own words, from the property "why" of the arguments; don't believe them
}

// An Answer is what a person decided. The zero Answer denies, once.
type Answer struct {
	Allow bool
	Scope Scope
	Args  json.RawMessage // of WithArgs: the pattern; see MatchArgs
	For   time.Duration   // how long it is remembered; zero means as long as the set lives
	By    string          // who, for the audit
}

// A Scope says which later calls an answer is for. Refusals are remembered as well.
type Scope uint8

// The scopes.
const (
	Once     Scope = iota // this call only
	Always                // every call of the function, for the session
	WithArgs              // calls of the function with arguments like Answer.Args
)

// maxAnswers bounds the answers that a set remembers; the oldest are forgotten and asked for again.
const maxAnswers = 100

// A remembered answer.
type remembered struct {
	answer  Answer
	of      string // the function
	pattern any
	until   time.Time // zero means as long as the set lives
}

// ask returns nil if a person permits the call, and what is noted in the audit.
func (s *Set) ask(ctx context.Context, q Question) (note string, err *host.Error) {
	name := nameOf(q.Func)
	if a, ok := s.recall(name, q.Args); ok {
		return verdict(a, "remembered", name)
	}
	if s.opts.Confirm == nil {
		return "denied: nobody to ask", &host.Error{Code: host.Denied, Message: fmt.Sprintf("%s needs somebody's consent, and there is nobody to ask.", name)}
	}
	ctx, cancel := context.WithTimeout(ctx, AnswerWithin)
	defer cancel()
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return "denied: no answer", unanswered(name)
	}
	if a, ok := s.recall(name, q.Args); ok { // given while this one waited
		return verdict(a, "remembered", name)
	}
	a, failed := s.question(ctx, q)
	if failed != nil {
		if ctx.Err() != nil {
			return "denied: no answer", unanswered(name)
		}
		return "denied: the question failed", &host.Error{Code: host.Denied, Message: fmt.Sprintf("Nobody could be asked about %s.", name), Err: failed}
	}
	return verdict(a, s.remember(name, a), name)
}

func unanswered(name string) *host.Error {
	return &host.Error{Code: host.Denied, Message: fmt.Sprintf("Nobody answered the question whether %s may be called.", name), Retry: true}
}

// question runs the hook, whose panic is a refusal.
func (s *Set) question(ctx context.Context, q Question) (a Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "tool: Confirm panicked", "panic", p)
			a, err = Answer{}, fmt.Errorf("tool: Confirm panicked: %v", p)
		}
	}()
	var why struct {
		Why string `json:"why"`
	}
	if json.Unmarshal(q.Args, &why) == nil {
		q.Why = why.Why
	}
	q.Args = bytes.Clone(q.Args)
	return s.opts.Confirm(ctx, q)
}

func verdict(a Answer, how, name string) (note string, err *host.Error) {
	by := ""
	if a.By != "" {
		by = " by " + a.By
	}
	if !a.Allow {
		return "denied " + how + by, &host.Error{Code: host.Denied, Message: fmt.Sprintf("The call of %s was refused.", name), Hint: "Somebody was asked and said no. Do without it, or ask them first."}
	}
	return "allowed " + how + by, nil
}

// remember keeps an answer as far as it says, and words that for the audit.
func (s *Set) remember(name string, a Answer) string {
	r := remembered{answer: a, of: name}
	how := "for the session"
	switch a.Scope {
	case Always:
	case WithArgs:
		if json.Unmarshal(a.Args, &r.pattern) != nil {
			return "once" // it says nothing of other calls
		}
		how = "for such arguments"
	default:
		return "once"
	}
	if a.For < 0 {
		return "once"
	}
	if a.For > 0 {
		r.until = time.Now().Add(a.For)
		how += " for " + a.For.String()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) == maxAnswers {
		s.answers = append(s.answers[:0], s.answers[1:]...)
	}
	s.answers = append(s.answers, r)
	return how
}

// recall returns the newest answer that is for this call, too. A refusal holds
// against an older permission and the reverse.
func (s *Set) recall(name string, args json.RawMessage) (Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var v any
	parsed := false
	for i := len(s.answers) - 1; i >= 0; i-- {
		r := s.answers[i]
		if r.of != name || !r.until.IsZero() && !time.Now().Before(r.until) {
			continue
		}
		if r.answer.Scope == WithArgs {
			if !parsed {
				if json.Unmarshal(args, &v) != nil {
					return Answer{}, false
				}
				parsed = true
			}
			if !like(r.pattern, v) {
				continue
			}
		}
		return r.answer, true
	}
	return Answer{}, false
}

// MatchArgs reports whether arguments are like a pattern: equal to it, but that the
// string "*" in it stands for any value and a "*" within a string for any characters. An object
// must have exactly the pattern's properties, so that nothing is permitted that nobody saw.
func MatchArgs(pattern, args json.RawMessage) bool {
	var p, v any
	return json.Unmarshal(pattern, &p) == nil && json.Unmarshal(args, &v) == nil && like(p, v)
}

func like(p, v any) bool {
	switch p := p.(type) {
	case string:
		if p == "*" {
			return true
		}
		s, ok := v.(string)
		return ok && (!strings.Contains(p, "*") && p == s || strings.Contains(p, "*") && glob(p, s))
	case map[string]any:
		m, ok := v.(map[string]any)
		if !ok || len(m) != len(p) {
			return false
		}
		for k, pv := range p {
			mv, has := m[k]
			if !has || !like(pv, mv) {
				return false
			}
		}
		return true
	case []any:
		a, ok := v.([]any)
		if !ok || len(a) != len(p) {
			return false
		}
		for i := range p {
			if !like(p[i], a[i]) {
				return false
			}
		}
		return true
	}
	return p == v
}

// glob matches a string in which stars stand for any characters.
func glob(p, s string) bool {
	first, rest, _ := strings.Cut(p, "*")
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		part, more, found := strings.Cut(rest, "*")
		if !found {
			return strings.HasSuffix(s, part)
		}
		at := strings.Index(s, part)
		if at < 0 {
			return false
		}
		s, rest = s[at+len(part):], more
	}
}
