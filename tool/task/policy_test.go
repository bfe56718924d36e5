package task

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func mustRules(t *testing.T, p Policy) *rules {
	t.Helper()
	r, err := p.rules()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWritable(t *testing.T) {
	r := mustRules(t, Policy{Writable: []string{"**", "sub/.git/hooks/*"}, Deny: []string{".env", "**/*.key", "Straße/**"}})
	for name, want := range map[string]bool{
		"src/a.ts": true, ".gitignore": true, "a.task.jsonx": true,
		".git/config": false, "sub/.GIT/config": false, "sub/.git/hooks/pre-commit": true, "x.task.json": false, "tasks/X.TASK.JSON": false,
		".env": false, ".ENV": false, "a/b.KEY": false, "straße/x": false, "sub/.env": true,
		"a/../b": false, "a:b": false, "": false, "docs/%2e%2e/a": false, "docs/．．／a": false,
	} {
		if got := !r.denied(name) && writes(r.writable, name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestArgv(t *testing.T) {
	p := Policy{Commands: [][]string{{"npm", "test"}, {"npm", "install", "*"}, {"go", "**"}, {"ls", `\*`}}}
	r := mustRules(t, p)
	for line, want := range map[string]bool{
		"npm test": true, "npm": false, "npm test --force": false, "npm install": false, "npm install x": true, "npm install x --force": false,
		"go": true, "go test ./...": true, "gofmt": false, "ls *": true, `ls \*`: false, "ls a": false, "": false,
	} {
		var args []string
		if line != "" {
			args = strings.Split(line, " ")
		}
		if got := r.permits(args); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	for _, bad := range [][]string{nil, {""}, {"a", "**", "b"}, {"a", "--x=*"}, {"a", "b\x00"}} {
		if _, err := parseArgv(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A command that both policies permit is permitted by the narrowed one, and no other.
func TestNarrowCommands(t *testing.T) {
	commands := [][]string{{"a"}, {"a", "*"}, {"a", "b"}, {"a", "**"}, {"*", "b"}, {"*", "**"}, {"**"}, {"a", "b", "*"}, {"a", `\*`}, {"b", "*", "**"}}
	var lines [][]string
	for _, x := range []string{"", "a", "b"} {
		for _, y := range []string{"", "b", "*"} {
			for _, z := range []string{"", "c"} {
				lines = append(lines, strings.Fields(x+" "+y+" "+z))
			}
		}
	}
	for _, x := range commands {
		for _, y := range commands {
			p, q := Policy{Commands: [][]string{x}}, Policy{Commands: [][]string{y}}
			n := p.Narrow(q)
			for _, line := range lines {
				want := mustRules(t, p).permits(line) && mustRules(t, q).permits(line)
				if got := mustRules(t, n).permits(line); got != want {
					t.Errorf("%q and %q: %q: %v, want %v", x, y, line, got, want)
				}
			}
		}
	}
}

func TestNarrow(t *testing.T) {
	p := Policy{Writable: []string{"src/**", "a*"}, Network: []string{"*.example.com", "*", "127.0.0.1:80", "http://a.example"}, Timeout: time.Hour}
	q := Policy{Writable: []string{"*b", "**/*.ts"}, Deny: []string{"src/x.ts"}, Network: []string{"api.example.com", "10.0.0.1:1", "127.0.0.1:80", "a.example"}}
	n := p.Narrow(q)
	want := Policy{Writable: []string{"src/**/*.ts", "a*b", "ab", "a*.ts", "a.ts"}, Deny: []string{"src/x.ts"},
		Network: []string{"api.example.com", "a.example", "127.0.0.1:80"}, Timeout: DefaultTimeout}
	// Patterns that another one covers are dropped, in whichever order they came.
	want.Writable = []string{"src/**/*.ts", "a*b", "a*.ts"}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("got  %+v\nwant %+v", n, want)
	}
	if got := n.Narrow(p).Narrow(q); !reflect.DeepEqual(got, n) {
		t.Errorf("narrowing again gives %+v", got)
	}
	if zero := (Policy{}).Narrow(p); zero.Writable != nil || zero.Commands != nil || zero.Network != nil {
		t.Errorf("of nothing: %+v", zero)
	}
}

func TestPolicyJSON(t *testing.T) {
	p := Policy{Writable: []string{"a"}, Deny: []string{"b"}, Commands: [][]string{{"c", "*"}}, Network: []string{"d.example"}, Timeout: 1500 * time.Millisecond}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"writable":["a"],"deny":["b"],"commands":[["c","*"]],"network":["d.example"],"timeoutMs":1500}`; string(data) != want {
		t.Errorf("%s", data)
	}
	var q Policy
	if err := json.Unmarshal(data, &q); err != nil || !reflect.DeepEqual(p, q) {
		t.Errorf("%+v, %v", q, err)
	}
	for _, bad := range []string{`{"denied":["a"]}`, `{"timeoutMs":-1}`, `{"timeoutMs":1e300}`, `[]`, `{"commands":["npm test"]}`} {
		if err := json.Unmarshal([]byte(bad), &q); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		p    Policy
		want string
	}{
		{Policy{Writable: []string{"**"}}, "every file"},
		{Policy{Writable: []string{"*/*"}}, "names no folder"},
		{Policy{Writable: []string{"src/**", "src/a.ts"}}, `"src/a.ts" is within`},
		{Policy{Writable: []string{"src/**"}, Deny: []string{"**"}}, "never written"},
		{Policy{Commands: [][]string{{"pnpm", "test"}}}, "__snapshots__"},
		{Policy{Commands: [][]string{{"bash", "**"}}}, "whatever its arguments say"},
		{Policy{Commands: [][]string{{"/usr/bin/env", "*"}}}, "whatever its arguments say"},
		{Policy{Commands: [][]string{{"npm test"}}}, "no line for a shell"},
		{Policy{Commands: [][]string{{"*", "x"}}}, "any command"},
		{Policy{Network: []string{"*"}}, "every public host"},
		{Policy{Network: []string{"*.com"}}, "top-level"},
		{Policy{Timeout: 2 * time.Hour}, "Suggest"},
	} {
		if got := strings.Join(c.p.Check(), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
		}
	}
	good := Policy{Writable: []string{"package.json", "package-lock.json", "node_modules/**", "src/**"}, Deny: []string{".env"},
		Commands: [][]string{{"npm", "test"}, {"npm", "install", "*"}}, Network: []string{"registry.example.com"}}
	if got := good.Check(); len(got) > 0 {
		t.Errorf("warnings of a good policy: %q", got)
	}
}
