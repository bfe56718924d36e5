package workers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var updateES = flag.Bool("es", false, "write what node answers into testdata/es")

// An esCase is an expression of ECMAScript and what node makes of it.
type esCase struct{ expr, want string }

// readCases reads blocks of an expression and a line "=> result", parted by empty lines.
func readCases(t *testing.T, name string) (list []esCase) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		expr, want, _ := strings.Cut(strings.TrimSpace(block), "\n=> ")
		list = append(list, esCase{expr, want})
	}
	return list
}

// esModule is a project's functions.js that answers the results of the cases as JSON.
func esModule(cases []esCase) string {
	var b strings.Builder
	b.WriteString(`const show = (v) => {
  if (typeof v === "string") return v
  if (typeof v === "function" || typeof v === "symbol" || typeof v === "bigint" || Object.is(v, -0)) return Object.is(v, -0) ? "-0" : String(v)
  if (v !== null && typeof v === "object" && !Array.isArray(v) && Object.getPrototypeOf(v) !== Object.prototype && Object.getPrototypeOf(v) !== null && !v.toJSON) return Object.prototype.toString.call(v)
  return JSON.stringify(v, (k, x) => x === undefined ? "undefined" : typeof x === "bigint" ? x + "n" : x !== x || x === Infinity ? String(x) : x) ?? "undefined"
}
const results = async () => {
  const out = []
  for (const f of cases) {
    try { out.push(show(await f())) } catch (e) { out.push("! " + (e?.name ?? e)) }
  }
  return out
}
export default { async fetch() { return new Response(JSON.stringify(await results())) } }
const cases = [
`)
	for _, c := range cases {
		if strings.HasPrefix(c.expr, "{") {
			fmt.Fprintf(&b, "async () => %s,\n", c.expr)
		} else {
			fmt.Fprintf(&b, "async () => (%s),\n", c.expr)
		}
	}
	b.WriteString("]\n")
	return b.String()
}

// TestECMAScript runs what the files of testdata/es hold. Those whose names begin with
// "new" are ahead of the node that most have, and were written by hand after the specification.
func TestECMAScript(t *testing.T) {
	files, err := filepath.Glob("testdata/es/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			cases := readCases(t, file)
			source := esModule(cases)
			if *updateES && !strings.HasPrefix(filepath.Base(file), "new") {
				cases = askNode(t, file, source, cases)
			}
			a := bundled(t, map[string]string{"functions.js": source})
			for _, level := range []Isolation{Sandboxed, InProcess} {
				p, err := NewPool(Options{Isolation: level, Limits: Limits{CPU: 5 * time.Minute, Wall: 10 * time.Minute}})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				_, body := get(t, p, a, "/")
				var got []string
				if err := json.Unmarshal([]byte(body), &got); err != nil || len(got) != len(cases) {
					t.Fatalf("%v: %s", err, body)
				}
				for i, c := range cases {
					if got[i] != c.want {
						t.Errorf("level %v: %s\ngot  %s\nwant %s", level, c.expr, got[i], c.want)
					}
				}
			}
		})
	}
}

// askNode writes node's answers into the file.
func askNode(t *testing.T, file, source string, cases []esCase) []esCase {
	module := filepath.Join(t.TempDir(), "functions.mjs")
	if err := os.WriteFile(module, []byte(source+"console.log(JSON.stringify(await results()))\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", module)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LANG=en_US.UTF-8")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range cases {
		if strings.Contains(cases[i].expr, "DateTimeFormat") { // a newer V8 writes a space here in parts, too
			want[i] = strings.ReplaceAll(want[i], "\u202f", " ")
		}
		cases[i].want = want[i]
		fmt.Fprintf(&b, "%s\n=> %s\n\n", cases[i].expr, strings.ReplaceAll(want[i], "\n", "\\n"))
	}
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(b.String(), "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return cases
}
