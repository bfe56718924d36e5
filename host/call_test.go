package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

type point struct {
	X int32 `json:"x"`
	Y int32 `json:"y,omitempty"`
}

type everything struct {
	point
	ID    int64              `json:"id,omitempty"`
	Big   uint64             `json:"big,omitempty"`
	N     int                `json:"n,omitempty"`
	F     float64            `json:"f,omitempty"`
	Bytes []byte             `json:"bytes,omitempty"`
	Raw   json.RawMessage    `json:"raw,omitempty"`
	RawP  *json.RawMessage   `json:"rawp,omitempty"`
	When  time.Time          `json:"when,omitzero"`
	Wait  time.Duration      `json:"wait,omitempty"`
	Sum   *big.Int           `json:"sum,omitempty"`
	List  []int64            `json:"list,omitempty"`
	Deep  []map[string]int64 `json:"deep,omitempty"`
	Any   any                `json:"any,omitempty"`
	P     *point             `json:"p,omitempty"`
	Skip  string             `json:"-"`
}

// echoCaps offers test@1.echo, which returns its argument.
func echoCaps() *Capabilities {
	caps := New()
	Register(caps.Define("test", 1), "echo", "", func(_ context.Context, in everything) (everything, error) { return in, nil })
	return caps
}

func TestEcho(t *testing.T) {
	caps := echoCaps()
	for _, tt := range []struct{ args, want string }{ // want "" means as args
		{`{"x":1}`, ``},
		{` { "x" : 1.0 , "y":2e3 } `, `{"x":1,"y":2000}`},
		{`{"x":-0}`, `{"x":0}`},
		{`{"x":1,"id":9007199254740991}`, ``},
		{`{"x":1,"id":"9007199254740993"}`, ``},
		{`{"x":1,"id":"7"}`, `{"x":1,"id":7}`},
		{`{"x":1,"id":"-0007"}`, `{"x":1,"id":-7}`},
		{`{"x":1,"big":"18446744073709551615"}`, ``},
		{`{"x":1,"f":1e300,"n":12}`, `{"x":1,"n":12,"f":1e+300}`},
		{`{"x":1,"f":100000000000000000000}`, ``},
		{`{"x":1,"bytes":"AAEC"}`, ``},
		{`{"x":1,"raw":{"a":[1,"9007199254740993",null]},"rawp":[]}`, ``},
		{`{"x":1,"when":"2026-01-02T03:04:05Z","wait":1000}`, ``},
		{`{"x":1,"sum":"123456789012345678901234567890"}`, ``},
		{`{"x":1,"list":[1,"9223372036854775807",-3],"deep":[{"a":"-9223372036854775808","b":2}]}`, ``},
		{`{"x":1,"any":{"id":"9007199254740993"},"p":{"x":3}}`, ``},
		{"{\"x\":1,\"\\u0069d\":\"9007199254740993\"}", `{"x":1,"id":"9007199254740993"}`},
	} {
		want := tt.want
		if want == "" {
			want = tt.args
		}
		got, err := caps.Call(t.Context(), "test.echo", json.RawMessage(tt.args))
		if err != nil || string(got) != want {
			t.Errorf("echo %s = %s, %v; want %s", tt.args, got, err, want)
		}
	}
}

func TestHostileArguments(t *testing.T) {
	caps := echoCaps()
	for _, tt := range []struct {
		name, args string
		code       Code
		message    string // part of it
	}{
		{"empty text", " ", Invalid, "not JSON"},
		{"missing property", `{}`, Invalid, `"x"`},
		{"no arguments", ``, Invalid, `"x"`},
		{"not an object", `[1]`, Invalid, "array"},
		{"null", `null`, Invalid, "null"},
		{"unknown property", `{"x":1,"zz":2}`, Invalid, "zz"},
		{"other case", `{"X":1}`, Invalid, "X"},
		{"skipped field", `{"x":1,"Skip":"a"}`, Invalid, "Skip"},
		{"duplicate", `{"x":1,"x":2}`, Invalid, `"x" occurs twice`},
		{"duplicate, escaped", `{"x":1,"\u0078":2}`, Invalid, `"x" occurs twice`},
		{"duplicate in any", `{"x":1,"any":{"__proto__":1,"a":{"b":1,"b":1}}}`, Invalid, "twice"},
		{"NaN", `{"x":NaN}`, Invalid, "not JSON"},
		{"Infinity", `{"x":1,"f":Infinity}`, Invalid, "not JSON"},
		{"comment", `{"x":1/**/}`, Invalid, "not JSON"},
		{"invalid UTF-8", "{\"x\":1,\"any\":\"\xff\"}", Invalid, "not JSON"},
		{"fraction for an integer", `{"x":1.5}`, Invalid, "x"},
		{"int32 overflow", `{"x":2147483648}`, Invalid, "x"},
		{"int overflow", `{"x":1,"n":9007199254740992}`, Invalid, "out of range"},
		{"int as string", `{"x":1,"n":"5"}`, Invalid, "n: "},
		{"rounded int64", `{"x":1,"id":9007199254740992}`, Invalid, "send it as a string"},
		{"int64 overflow", `{"x":1,"id":"9223372036854775808"}`, Invalid, "id"},
		{"negative uint64", `{"x":1,"big":-1}`, Invalid, "big"},
		{"int64 from words", `{"x":1,"id":"1e3"}`, Invalid, "id"},
		{"huge float", `{"x":1,"f":1e999}`, Invalid, "out of range"},
		{"tiny exponent", `{"x":1,"any":1e-999999999}`, Invalid, "out of range"},
		{"huge exponent of zero", `{"x":1,"any":0e999999999}`, Invalid, "out of range"},
		{"many digits", `{"x":1,"any":0.` + strings.Repeat("3", 1000) + `}`, Invalid, "out of range"},
		{"bad base64", `{"x":1,"bytes":"%%"}`, Invalid, "base64"},
		{"bad time", `{"x":1,"when":"today"}`, Invalid, ""},
		{"deep", `{"x":1,"any":` + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth) + `}`, Invalid, "nested more than 64"},
		{"very deep", strings.Repeat(`{"a":`, 1_000_000), Invalid, "not JSON"},
		{"large", `{"x":1,"any":"` + strings.Repeat("a", MaxArgs) + `"}`, Exhausted, "more than"},
		{"large in the wrong place", `{"x":"` + strings.Repeat("a", 1<<20) + `"}`, Invalid, "x: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := caps.Call(t.Context(), "test.echo", json.RawMessage(tt.args))
			var e *Error
			if !errors.As(err, &e) || e.Code != tt.code || !strings.Contains(e.Message, tt.message) {
				t.Fatalf("got %v; want %s with %q", err, tt.code, tt.message)
			}
			if len(e.Message) > 500 {
				t.Errorf("message of %d bytes", len(e.Message))
			}
		})
	}
}

func TestDuplicatesAmongManyProperties(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	if err := scan([]byte("{" + b.String() + `"last":0}`)); err != nil {
		t.Error(err)
	}
	for i := range 50 {
		if scan(fmt.Appendf(nil, `{%s"k%d":0}`, b.String(), i)) == nil {
			t.Errorf("k%d twice is accepted", i)
		}
	}
}

func TestFaultsStayInTheProgram(t *testing.T) {
	var logged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	secret := errors.New("dial postgres://ada:hunter2@db")
	caps := New()
	c := caps.Define("bad", 1)
	Register(c, "error", "", func(context.Context, struct{}) (int, error) { return 0, secret })
	Register(c, "panic", "", func(context.Context, struct{}) (int, error) { panic(secret) })
	Register(c, "internal", "", func(context.Context, struct{}) (int, error) { return 0, &Error{Message: "hunter2", Hint: "hunter2"} })
	Register(c, "nan", "", func(context.Context, struct{}) (float64, error) { return math.NaN(), nil })
	Register(c, "unsafe", "", func(context.Context, struct{}) (int, error) { return 1 << 60, nil })
	Register(c, "nilerror", "", func(context.Context, struct{}) (int, error) { return 0, (*Error)(nil) })
	Register(c, "eof", "", func(context.Context, struct{}) (int, error) { return 0, io.EOF })
	c.Add(Func{Name: "garbage"}, func(context.Context, json.RawMessage) (json.RawMessage, error) { return []byte("hunter2"), nil })
	for f := range c.Funcs() {
		_, err := c.Call(t.Context(), f.Name, nil)
		var e *Error
		if !errors.As(err, &e) || e.Code != Internal || e.Message != internalMessage {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if seen, _ := json.Marshal(e); bytes.Contains(seen, []byte("hunter2")) {
			t.Errorf("%s: sandboxed code sees %s", f.Name, seen)
		}
		if f.Name == "error" && !errors.Is(err, secret) {
			t.Errorf("the program cannot see the cause of %v", err)
		}
	}
	if !strings.Contains(logged.String(), "bad@1.panic") {
		t.Errorf("panic is not logged: %q", logged.String())
	}
}

func TestErrorsThatCodeMaySee(t *testing.T) {
	caps := New()
	c := caps.Define("e", 1)
	conflict := &Error{Code: Conflict, Message: "changed", Details: json.RawMessage(`{"hash":"x"}`), Grant: json.RawMessage("{")}
	Register(c, "wrapped", "", func(context.Context, struct{}) (int, error) { return 0, fmt.Errorf("save: %w", conflict) })
	Register(c, "wait", "", func(ctx context.Context, _ struct{}) (int, error) { <-ctx.Done(); return 0, ctx.Err() })
	_, err := c.Call(t.Context(), "wrapped", nil)
	if seen, jerr := json.Marshal(err); jerr != nil || string(seen) != `{"code":"conflict","message":"changed","details":{"hash":"x"}}` {
		t.Errorf("sandboxed code sees %s, %v", seen, jerr)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	var e *Error
	if _, err = c.Call(ctx, "wait", nil); !errors.As(err, &e) || e.Code != Timeout {
		t.Errorf("deadline: %v", err)
	}
	for _, name := range []string{"nope", "e.nope", "e@2.wrapped", "e@x.wrapped", "e@0.wrapped", "f.x", "", ".", "@", strings.Repeat("n", 10000)} {
		if _, err := caps.Call(t.Context(), name, nil); !errors.As(err, &e) || e.Code != NotFound || len(err.Error()) > 400 {
			t.Errorf("Call(%.20q): %v", name, err)
		}
	}
}

func TestResultIsBounded(t *testing.T) {
	caps := New()
	Register(caps.Define("a", 1), "b", "", func(context.Context, struct{}) (string, error) {
		return strings.Repeat("x", MaxResult), nil
	})
	var e *Error
	if _, err := caps.Call(t.Context(), "a.b", nil); !errors.As(err, &e) || e.Code != Exhausted {
		t.Errorf("got %v", err)
	}
}

func FuzzCall(f *testing.F) {
	for _, s := range []string{`{"x":1}`, `{"x":1,"id":"12","deep":[{"a":1.0}],"raw":{"b":[]}}`, `{"x":1,"x":2}`, `{"x":1e5,"any":[[[]]],"sum":"1"}`, `[{},"\u0000\ud800"]`} {
		f.Add([]byte(s))
	}
	caps := echoCaps()
	f.Fuzz(func(t *testing.T, args []byte) {
		out, err := caps.Call(t.Context(), "test.echo", args)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code == Internal {
				t.Fatalf("echo %q: %v", args, err)
			}
			return
		}
		// What a function returned must be acceptable and unchanged when it comes back.
		again, err := caps.Call(t.Context(), "test.echo", out)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("echo %q = %s, then %s, %v", args, out, again, err)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	caps := echoCaps()
	args := json.RawMessage(`{"x":1,"id":7,"list":[1,2,3],"f":1.5}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := caps.Call(b.Context(), "test.echo", args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallSmall(b *testing.B) {
	type in struct {
		ID string `json:"id"`
	}
	caps := New()
	Register(caps.Define("crm", 1), "lookup", "", func(_ context.Context, v in) (in, error) { return v, nil })
	args := json.RawMessage(`{"id":"c1"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := caps.Call(b.Context(), "crm.lookup", args); err != nil {
			b.Fatal(err)
		}
	}
}
