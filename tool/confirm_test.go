package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"samkit.dev/host"
)

type payIn struct {
	To     string `json:"to"`
	Amount int    `json:"amount,omitempty"`
	Why    string `json:"why,omitempty"`
}

// asker offers pay.send and pay.look, of which a grant that asks permits both.
func asker(t *testing.T, confirm Confirm) (s *Set, notes *[]string) {
	t.Helper()
	caps := host.New()
	pay := caps.Define("pay", 1)
	host.Register(pay, "send", "Sends.", func(context.Context, payIn) (string, error) { return "sent", nil })
	host.Register(pay, "look", "Looks.", func(context.Context, payIn) (string, error) { return "seen", nil }, host.Reads)
	notes = new([]string)
	var mu sync.Mutex
	audit := func(_ context.Context, r host.Record) {
		mu.Lock()
		defer mu.Unlock()
		*notes = append(*notes, r.Answer)
	}
	s, err := NewSet(caps, &Options{Confirm: confirm, Audit: audit}, Grant{Uses: []string{"pay@1.*"}, Confirm: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Revoke)
	return s, notes
}

func pay(to string, amount int) json.RawMessage {
	b, _ := json.Marshal(payIn{To: to, Amount: amount})
	return b
}

func TestConfirmNilDenies(t *testing.T) {
	s, notes := asker(t, nil)
	if c := code(t, s, "pay.send", pay("ada", 1)); c != host.Denied {
		t.Error(c)
	}
	if c := code(t, s, "pay.look", pay("ada", 1)); c != "" {
		t.Errorf("reading was asked for: %q", c)
	}
	if want := []string{"denied: nobody to ask", ""}; !slices.Equal(*notes, want) {
		t.Errorf("audit %q", *notes)
	}
}

func TestConfirmIsAskedWhoWhatAndWhy(t *testing.T) {
	var got Question
	s, notes := asker(t, func(_ context.Context, q Question) (Answer, error) {
		got = q
		return Answer{Allow: true, By: "ada"}, nil
	})
	ctx := host.WithCall(t.Context(), host.Call{Principal: "ada", Project: "bot"})
	args := json.RawMessage(`{"to":"bob","why":"rent"}`)
	if _, err := s.Call(ctx, "pay.send", args); err != nil {
		t.Fatal(err)
	}
	if got.Call.Project != "bot" || got.Func.Name != "send" || got.Why != "rent" || string(got.Args) != string(args) || !got.Grant.Confirm {
		t.Errorf("question %+v", got)
	}
	if (*notes)[0] != "allowed once by ada" {
		t.Errorf("audit %q", *notes)
	}
}

func TestAnswersAreRemembered(t *testing.T) {
	tests := []struct {
		name   string
		answer Answer
		asked  int // in: send ada 1, send ada 1, send bob 1, send ada 2
		code   host.Code
		note   string
	}{
		{"once", Answer{Allow: true}, 4, "", "allowed once"},
		{"no, once", Answer{}, 4, host.Denied, "denied once"},
		{"for the session", Answer{Allow: true, Scope: Always}, 1, "", "allowed for the session"},
		{"no, for the session", Answer{Scope: Always}, 1, host.Denied, "denied for the session"},
		{"for an hour", Answer{Allow: true, Scope: Always, For: time.Hour}, 1, "", "allowed for the session for 1h0m0s"},
		{"for time that has gone", Answer{Allow: true, Scope: Always, For: -time.Hour}, 4, "", "allowed once"},
		{"for these arguments", Answer{Allow: true, Scope: WithArgs, Args: pay("ada", 1)}, 3, "", "allowed for such arguments"},
		{"for any amount", Answer{Allow: true, Scope: WithArgs, Args: json.RawMessage(`{"to":"ada","amount":"*"}`)}, 2, "", "allowed for such arguments"},
		{"for what is no pattern", Answer{Allow: true, Scope: WithArgs}, 4, "", "allowed once"},
		{"in a scope that is none", Answer{Allow: true, Scope: 9}, 4, "", "allowed once"},
	}
	for _, tt := range tests {
		asked := 0
		s, notes := asker(t, func(context.Context, Question) (Answer, error) { asked++; return tt.answer, nil })
		for _, args := range []json.RawMessage{pay("ada", 1), pay("ada", 1), pay("bob", 1), pay("ada", 2)} {
			if c := code(t, s, "pay.send", args); c != tt.code {
				t.Errorf("%s: %s: %q", tt.name, args, c)
			}
		}
		if asked != tt.asked || (*notes)[0] != tt.note {
			t.Errorf("%s: asked %d times, want %d; audit %q", tt.name, asked, tt.asked, *notes)
		}
	}
}

func TestAnswersExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s, _ := asker(t, func(context.Context, Question) (Answer, error) {
			asked++
			return Answer{Allow: asked == 1, Scope: Always, For: time.Minute}, nil
		})
		defer s.Revoke()
		code(t, s, "pay.send", pay("ada", 1))
		time.Sleep(time.Minute)
		if c := code(t, s, "pay.send", pay("ada", 1)); c != host.Denied || asked != 2 {
			t.Errorf("%q, asked %d times", c, asked)
		}
	})
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, notes := asker(t, func(ctx context.Context, _ Question) (Answer, error) {
			<-ctx.Done()
			return Answer{Allow: true}, ctx.Err()
		})
		defer s.Revoke()
		began := time.Now()
		if c := code(t, s, "pay.send", pay("ada", 1)); c != host.Denied || time.Since(began) != AnswerWithin {
			t.Errorf("%q after %v", c, time.Since(began))
		}
		if (*notes)[0] != "denied: no answer" {
			t.Errorf("audit %q", *notes)
		}
	})
}

func TestRevokeWithdrawsAQuestion(t *testing.T) {
	open := make(chan bool)
	s, _ := asker(t, func(ctx context.Context, _ Question) (Answer, error) {
		open <- true
		<-ctx.Done()
		return Answer{Allow: true}, nil // too late
	})
	errs := make(chan error)
	go func() { _, err := s.Call(context.Background(), "pay.send", pay("ada", 1)); errs <- err }()
	<-open
	s.Revoke()
	if err := <-errs; !errors.Is(err, errRevoked) {
		t.Error(err)
	}
}

func TestConfirmThatFailsOrPanicsDenies(t *testing.T) {
	for _, confirm := range []Confirm{
		func(context.Context, Question) (Answer, error) { return Answer{Allow: true}, errors.New("no screen") },
		func(context.Context, Question) (Answer, error) { panic("hunter2") },
	} {
		s, _ := asker(t, confirm)
		_, err := s.Call(t.Context(), "pay.send", pay("ada", 1))
		var e *host.Error
		if !errors.As(err, &e) || e.Code != host.Denied || strings.Contains(e.Message, "hunter2") {
			t.Error(err)
		}
	}
}

// One question is open at a time, and its answer is for those that wait as well.
func TestQuestionsWaitForEachOther(t *testing.T) {
	var open, most, asked atomic.Int32
	s, _ := asker(t, func(context.Context, Question) (Answer, error) {
		asked.Add(1)
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		time.Sleep(time.Millisecond)
		return Answer{Allow: true, Scope: Always}, nil
	})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := s.Call(context.Background(), "pay.send", pay(fmt.Sprint(i), i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if asked.Load() != 1 || most.Load() != 1 {
		t.Errorf("asked %d times, %d at once", asked.Load(), most.Load())
	}
}

func TestMatchArgs(t *testing.T) {
	for _, tt := range []struct {
		pattern, args string
		want          bool
	}{
		{`{"a":1}`, `{"a":1}`, true}, {`{"a":1}`, `{"a":1.0}`, true}, {`{"a":1}`, `{"a":2}`, false}, {`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false}, {`{"a":1,"b":2}`, `{"a":1}`, false}, {`{"a":null}`, `{}`, false}, {`{"a":null}`, `{"b":null}`, false},
		{`{"a":"*"}`, `{"a":{"b":[1]}}`, true}, {`"*"`, `null`, true}, {`"x*"`, `"xyz"`, true}, {`"x*"`, `"ax"`, false}, {`"a*b*c"`, `"a1b2c"`, true}, {`"a*b*c"`, `"ac"`, false}, {`"x*"`, `1`, false},
		{`"a*a"`, `"a"`, false}, {`"*a"`, `"bab"`, false}, {`"*a"`, `"baa"`, true},
		{`[1,"*"]`, `[1,2]`, true}, {`[1]`, `[1,2]`, false}, {`[1]`, `{"0":1}`, false}, {`true`, `true`, true}, {`true`, `false`, false}, {`{}`, `{}`, true}, {`{}`, `[]`, false},
		{``, `{}`, false}, {`{`, `{}`, false}, {`{}`, ``, false}, {`null`, `null`, true},
	} {
		if got := MatchArgs(json.RawMessage(tt.pattern), json.RawMessage(tt.args)); got != tt.want {
			t.Errorf("%s is like %s: %v", tt.args, tt.pattern, got)
		}
	}
}

func TestWords(t *testing.T) {
	at := time.Date(2026, 11, 30, 18, 0, 0, 0, time.FixedZone("", 3600))
	for _, tt := range []struct {
		grant Grant
		want  string
	}{
		{Grant{}, "Nothing."},
		{Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: Read}, `Read "docs/**" of the project notes.`},
		{Grant{Project: "notes", Paths: []string{"**"}, Mode: ReadWrite, MaxCalls: 1}, `Read and change every file of the project notes; at most 1 call.`},
		{Grant{Uses: []string{"crm@1.lookup", "crm@1.list", "pay@2.*"}, Confirm: true}, `Call crm@1.lookup, crm@1.list and pay@2.*; asks before each change.`},
		{Grant{Project: "notes", Uses: []string{"console@1.read"}}, `Call console@1.read on the project notes.`},
		{Grant{Project: "notes", Paths: []string{"a", "b c"}, Mode: Read, Uses: []string{"crm@1.x"}, MaxCalls: 12345, Expires: at},
			`Read "a" and "b c" of the project notes; call crm@1.x; at most 12,345 calls; until 2026-11-30 17:00 UTC.`},
		{Grant{Project: "notes", Paths: []string{"a\u202egnp", "q\"; call everything"}, Mode: Read}, `Read "a\u202egnp" and "q\"; call everything" of the project notes.`},
	} {
		if got := tt.grant.Words(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestGrantAsJSON(t *testing.T) {
	g := Grant{Project: "notes", Paths: []string{"docs/**"}, Mode: ReadWrite, Confirm: true, Expires: time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)}
	data, err := json.Marshal(g)
	if err != nil || string(data) != `{"project":"notes","paths":["docs/**"],"mode":"readwrite","expires":"2026-11-30T17:00:00Z","confirm":true}` {
		t.Errorf("%s, %v", data, err)
	}
	var back Grant
	if err := json.Unmarshal(data, &back); err != nil || back.Mode != ReadWrite || !back.Expires.Equal(g.Expires) {
		t.Errorf("%+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"mode":"all"}`), &back); err == nil {
		t.Error("a mode that is none was read")
	}
}
