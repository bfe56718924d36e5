package wasi_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// FuzzShell runs scripts, as they come or made by a grammar of what interpreters are weak at. None may end the program,
// run for much longer than it may, or leave anything on the machine.
func FuzzShell(f *testing.F) {
	for _, s := range []string{
		`echo ${x@Q} ${x@E} ${x@A} ${x@Z} ${!x} ${!x*} ${#x[@]} ${x[-1]} ${x:-1:-5}`, `a=(1 2); echo ${a[-9]} ${a[@]:5:-1} ${a[$((1/0))]}`, `unset "" 'a[' 'a[x'`,
		`printf %q; printf -v x; printf '%'; read -n; shift -1; getopts; getopts :a: x -a`, `case x in [) ;; [a-) ;; esac; [[ x =~ ( ]]; [[ -v a[ ]]`,
		`declare -A m=([x]=1 2); declare -n n=n; n=1; echo $n; export =x; readonly r=1; r=2; local x`, `trap 'exit' EXIT ERR; false; kill; wait; fg`,
		`{ ${x:?no}; } | cat; $(exit 3) | (exit 4) |& cat; ! { return 3; } | break 2`, "cat <<A <<-B | tr a b\n$x\nA\n\t`echo b`\nB\n", `echo ~x ~+ ~- {a..z..0} {1..-5..-2} {,} {} [!a] ?(x) $'\x' $"y" $((0x)) $((08)) $((2**-1)) $((1<<-1))`,
		`while read -r x; do echo "$x" | { read y; echo ${y^^}; }; done <a.txt >b.txt 2>&1; exec >c.txt; echo x; exec 3<a.txt; echo >&3; cat <&-`, `x=$(<a.txt) y=$(<nothing) z=$(<); select i in a b; do break; done <a.txt`,
		`f() { f2() { return; }; f2; unset -f f; }; f; alias ll='ls -l '; ll a; set -euo pipefail; set -x; echo $nope`, `x=aab; echo ${x/#a/${x/%b/${x/#$x/"$x"}}} "${x/%"${x/#a/b}"/c}" ${1/#[/x} ${x/#/} ${x/%}; history 2; history -c; yq -n . <<<"a: [1"; xan map 'x' a.txt`, `pushd /tmp; popd; popd; dirs; cd -; cd ''; shopt -s extglob globstar; echo @(a|b)* **/x !(a)`,
	} {
		f.Add(s, uint64(0))
	}
	for i := range uint64(60 / each) {
		f.Add("", i)
	}
	files := sam.Files{"a.txt": "b 2\na 1\nc 3\n", "src/x.js": "x", "run.sh": "echo $1 | cat\n", "d.json": `{"a":[1,{"b":null}]}`}
	host := f.TempDir()
	f.Setenv("TMPDIR", host)
	r, err := wasi.New(&wasi.Options{Memory: 32 << 20, Timeout: 2 * time.Second, Output: 1 << 20})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { r.Close() })
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if text == "" {
			text = (&grammar{rand.New(rand.NewPCG(seed, 1)), 0}).script()
		}
		began := time.Now()
		got := script(t.Context(), r, text, wasi.Cmd{Files: project(t, files), Stdin: strings.NewReader("one\ntwo\n")})
		// A file may have a name that a project refuses; any other error is none of a script.
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%q: took %v", text, took)
		}
		if got.code < 0 {
			t.Logf("%q: %v", text, got.why)
		}
		if left, err := os.ReadDir(host); err != nil || len(left) > 0 {
			t.Errorf("%q: the machine's folder has %v, %v", text, left, err)
		}
	})
}

// A grammar writes scripts.
type grammar struct {
	*rand.Rand
	depth int
}

func (g *grammar) one(of ...string) string { return of[g.IntN(len(of))] }

func (g *grammar) script() string {
	var b strings.Builder
	for range 1 + g.IntN(6) {
		b.WriteString(g.command() + g.one("\n", "; ", " && ", " || ", "\n"))
	}
	return b.String() + ":"
}

func (g *grammar) name() string {
	return g.one("x", "y", "a", "m", "1", "@", "*", "#", "?", "-", "IFS", "HOME", "RANDOM", "nope")
}

func (g *grammar) word() string {
	if g.depth++; g.depth > 40 {
		return "w"
	}
	switch g.IntN(16) {
	case 0:
		return "$" + g.name()
	case 1:
		return `"$` + g.name() + " " + g.word() + `"`
	case 2:
		op := g.one(":-", ":=", ":?", ":+", "-", "#", "##", "%", "%%", "/", "//", "^", "^^", ",", ",,", ":", "@", "/#", "/%")
		return "${" + g.name() + op + g.word() + "}"
	case 3:
		return "${" + g.name() + g.one("[0]", "[-1]", "[@]", "[*]", "[$x]", "") + g.one("", "/*/"+g.word(), "//[a-z]/"+g.word(), ":1:2", ": -3", "@Q") + "}"
	case 4:
		return g.one("${#x}", "${!x}", "${!x*}", "${#a[@]}", "${!a[@]}", "$((x + "+g.arith()+"))", "$(("+g.arith()+"))")
	case 5:
		return "$(" + g.command() + ")"
	case 6:
		return "<(" + g.command() + ")"
	case 7:
		return g.one("{1..20}", "{a,b}{c,d}", "{z..a..3}", "{5..1..-2}", "{x,"+g.word()+"}")
	case 8:
		return g.one("*", "*.txt", "src/*", "[a-c]*", "?", "~", "~root", "[", "**", "/bin/l*")
	case 9:
		return g.one("'", "$'") + g.one("", "a b", `\n\t`, "*", "é") + "'"
	}
	return g.one("a", "1", "-n", "a.txt", "", "0", "-1", `""`, `\`+"$", "x=y", "é", "--", "/dev/null", "/tmp/t", "d.json", "nothing")
}

func (g *grammar) arith() string {
	if g.depth++; g.depth > 40 {
		return "1"
	}
	return g.one("1", "x", "x++", "-x", "a[0]", "("+g.arith2()+")", g.arith2())
}

func (g *grammar) arith2() string {
	return g.one("2", "x", "08", "0x1f", "9223372036854775807") + g.one("+", "*", "/", "%", "**", "<<", "=", "+=", "/=", "&&", "?1:", ",") + g.one("0", "1", "-1", "y", "63", "99999999999")
}

func (g *grammar) command() string {
	if g.depth++; g.depth > 40 {
		return "true"
	}
	switch g.IntN(20) {
	case 0:
		return g.command() + g.one(" | ", " |& ", " | ") + g.command()
	case 1:
		return "( " + g.command() + " )"
	case 2:
		return "{ " + g.command() + "; }" + g.redirect()
	case 3:
		return "if " + g.command() + "; then " + g.command() + "; else " + g.command() + "; fi"
	case 4:
		return "for x in " + g.word() + " " + g.word() + "; do " + g.command() + g.one("", "; break", "; continue") + "; done"
	case 5:
		return "case " + g.word() + " in " + g.one("a*", "*", `"$x"`, "[0-9]", "$y") + ") " + g.command() + " ;; *) ;; esac"
	case 6:
		return "f() { " + g.command() + g.one("", "; return 3", "; local x="+g.word()) + "; }; f " + g.word()
	case 7:
		return "[[ " + g.word() + g.one(" == ", " != ", " =~ ", " < ", " -eq ", " -nt ") + g.word() + " ]]"
	case 8:
		return g.one("x=", "y+=", "a[1]=", "a[$x]=", "export x=", "declare x=", "readonly q=", "declare -A m; m[k]=") + g.word()
	case 9:
		return g.one("a=(", "a+=(", "declare -a a=(") + g.word() + " " + g.word() + ")"
	case 10:
		return "while read x; do " + g.command() + "; done" + g.redirect()
	case 11:
		return "((" + g.arith() + "))"
	case 12:
		return "cat <<E\n" + g.word() + "\nE\n"
	case 13:
		return g.one("eval ", "trap ", "source ", "set ", "shift ", "unset ", "read ", "printf ", "test ", "getopts ", "cd ", "exec ", "command ", "builtin ", "type ", "let ", "mapfile ", "shopt -s ", "pushd ", "exit ", "return ", "alias ") + g.word() + " " + g.word()
	case 14:
		return g.one("! ", "time ", "time -p ") + g.command()
	}
	return fmt.Sprintf("%s %s %s%s", g.one("echo", "cat", "grep", "sort", "ls", "xargs echo", "find .", "test", "[", "head -n 1", "jq .", "tr a b", "sh -c", "env", "printf", "sed"), g.word(), g.word(), g.redirect())
}

func (g *grammar) redirect() string {
	if g.IntN(3) > 0 {
		return ""
	}
	return g.one(" >o.txt", " >>o.txt", " 2>&1", " <a.txt", " </dev/null", " >&2", " <<<", " 2>", " &>", " <&-", " >&-", " 3>x") + g.one("", "", " ") + g.one("", "", "", "z.txt")
}
