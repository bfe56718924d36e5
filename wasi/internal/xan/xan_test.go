package xan

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"
)

func run(ctx context.Context, room int64, input string, args ...string) (string, error) {
	var out bytes.Buffer
	err := Run(ctx, &Env{
		Args: args, Stdout: &out, Room: room, Help: "help\n",
		Read: func(name string) ([]byte, error) {
			if name != "-" {
				return nil, fs.ErrNotExist
			}
			return []byte(input), nil
		},
		Write: func(string, []byte) error { return nil },
	})
	return out.String(), err
}

func TestExpressions(t *testing.T) {
	for expr, want := range map[string]string{
		"1 + 2 * 3": "7", "(1 + 2) * 3": "9", "2 ** 3 ** 1": "8", "-2 + 1": "-1", "10 // 3": "3", "10 % 4": "2", "1 - 2 - 3": "-4", "1e3": "1000", "0.1 + 0.2": "0.30000000000000004",
		"7 / 2": "3.5", "a / 2 / 5": "1", "len(b)/2": "2.5", "1 < 2 && 2 < 1 || true": "true", "not (1 == 1)": "false", "!a": "false", "9 < 10": "true", "'9' < '10'": "true", "'9' lt '10'": "false",
		`"x" ++ 'y' ++ b`: "xyhello", `b[0]`: "h", `b[-1]`: "o", `b[1:3]`: "el", `b[:2]`: "he", `b[3:]`: "lo", `[1, 2, 3][1]`: "2", `[3,1,2].sort()`: "1|2|3", `[1,2].map(x => x * 10)`: "10|20",
		`[1,2,3].filter((x) => x > 1).len()`: "2", `any([0, 1], x => x)`: "true", `all([0, 1], x => x)`: "false", `b | upper`: "HELLO", `b | replace(_, "l", "L") | _[2:]`: "LLo",
		"`c d`": "3", `col("c d")`: "3", "col(0)": "10", `b in ["hello"]`: "true", `"ell" in b`: "true", `b.match(/h(.)l/, 1)`: "e", `replace(b, /L/i, "")`: "heo", `split("a1b2", /[0-9]/)`: "a|b|",
		`if(a > 5, "y", "n")`: "y", `unless(a > 5, "y")`: "", `coalesce("", null, 3)`: "3", `typeof(1.5)`: "float", `round(2.567, 0.01)`: "2.57", `max(1, 3, 2)`: "3", `min([4, 2])`: "2",
		`unique(["a", "b", "a"])`: "a|b", `sum([1, "2"])`: "3", `substr(b, 1, 2)`: "el", `trim("  x ")`: "x", `trim("--x-", "-")`: "x", `reverse(b)`: "olleh", `isempty("")`: "true", `startswith(b, "he")`: "true",
		`eq(a, "10")`: "true", `a?`: "10", `index()`: "0", `"é".len()`: "1", `1 / 0 > 5`: "true", `first(b)`: "h", `last([1,2])`: "2", `get([1], 5, "none")`: "none", `int("3.9")`: "3", `"a" == "a"`: "true",
	} {
		got, err := run(t.Context(), 0, "a,b,c d\n10,hello,3\n", "select", "-e", expr+" as x")
		if want := "x\n" + want + "\n"; err != nil || strings.ReplaceAll(got, "\"\"", "") != want {
			t.Errorf("%s is %q, %v; want %q", expr, got, err, want)
		}
	}
	for _, expr := range []string{"", "1 +", "(1", "[1", "f(", `"x`, "/x", "1 as", "1 2", "a b", "@", "nope", "nope(1)", "upper()", "upper(1, 2)", "b + 1", "x => x", "a.", "a[", "/(/", "not 1 in", "1 not 2", strings.Repeat("(", 5000), strings.Repeat("-", 5000) + "1", strings.Repeat("[", 300)} {
		if got, err := run(t.Context(), 0, "a,b\n10,hello\n", "filter", expr); err == nil {
			t.Errorf("%q is taken: %q", expr, got)
		}
	}
}

// What would fill the memory, or take long, ends.
func TestBounds(t *testing.T) {
	many := "a,b\n" + strings.Repeat("1,x\n", 20_000)
	for _, args := range [][]string{
		{"count"}, {"explode", "a"}, {"join", "--cross", "-", "-"}, {"view"}, {"transpose"},
		{"map", "map(split(replace(\"" + strings.Repeat("x", 1000) + "\", \"x\", \"xx\"), \"\"), q => [q, q, q])"},
	} {
		if _, err := run(t.Context(), 1<<20, many, args...); !errors.Is(err, errRoom) {
			t.Errorf("%v: %v", args, err)
		}
	}
	big := "a\n" + strings.Repeat("y", 1<<19) + "\n"
	if _, err := run(t.Context(), 0, big, "map", "split(a, '').map(x => split(a, '').map(y => a ++ x)) as b"); !errors.Is(err, errRoom) {
		t.Errorf("an expression that goes on: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(ctx, 0, many, "sort"); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that was told to stop: %v", err)
	}
}

// FuzzRun runs subcommands with any arguments and input.
func FuzzRun(f *testing.F) {
	for _, v := range Verbs() {
		f.Add(v, "a", "sum(a)", "a,b\n1,2\n,\"x\n")
		f.Add(v, "-s", "a", "a,b\n1,2\nx\n")
		f.Add(v, "2", "-", "n\n\n3\n")
	}
	f.Add("map", "split(a, /x/i)[-1:] as `q`, b.c.1 | len(_)", "", "a,b\n1x,2\n")
	f.Add("filter", "if(a > 1 and b not in [1], col('a'), x => x)", "-v", "a,b\n1,2\n")
	f.Fuzz(func(t *testing.T, verb, a, b, input string) {
		args := []string{verb, a}
		if b != "" {
			args = append(args, b)
		}
		began := time.Now()
		run(t.Context(), 4<<20, input, args...)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%q of %q took %v", args, input, took)
		}
	})
}
