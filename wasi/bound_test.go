package wasi_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// What would end the program ends the script, or the half of a pipe that it is in: faults of the interpreter in a
// goroutine of its own, its stack, its memory, its files, its time.
func TestScriptBounds(t *testing.T) {
	const memory = 64 << 20
	r, err := wasi.New(&wasi.Options{Memory: memory, Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + end }
	cases := map[string]string{
		// The parser's stack, and what walks what it makes.
		"deep subshells":      deep("(", "", 400_000),
		"deep arithmetic":     "echo $((" + deep("(", "1", 400_000),
		"deep signs":          "echo $((" + deep("- ", "1", 400_000) + "))",
		"deep substitution":   deep("$(", "", 400_000),
		"deep backquotes":     "echo " + deep("\"$(", "", 300_000),
		"deep tests":          "[[ " + deep("! ", "x", 400_000) + " ]]",
		"deep tests in round": "[[ " + deep("( ", "x", 400_000),
		"deep blocks":         deep("{ ", "", 400_000),
		"deep ifs":            deep("if ", "", 300_000),
		"deep functions":      deep("f() ", "", 200_000),
		"deep parameters":     "echo " + deep("${x:-", "", 200_000),
		"deep patterns":       "case x in " + deep("@(", "", 400_000),
		"long chain":          deep("a && ", "b", 200_000),
		"long pipe":           deep("a | ", "b", 200_000),
		"long sum":            "echo $((" + deep("1+", "1", 400_000) + "))",
		"deep in eval":        `x='('; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do x=$x$x; done; eval "$x"`,
		"deep in a subscript": `x='('; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do x=$x$x; done; a=(1); unset "a[$x]"; exit 1`,
		"deep in a test":      `x='! '; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do x=$x$x; done; test $x x; [ $x x ]`,
		"deep in an alias":    `x='( '; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do x=$x$x; done; alias y="$x"; exit 1`,
		"deep in a trap":      `x='( '; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do x=$x$x; done; trap "$x" EXIT; exit 1`,
		// The interpreter's stack.
		"recursion":            `f() { f; }; f`,
		"wide recursion":       `f() { { { { ( ( ( { if true; then case x in x) for i in 1; do f; done;; esac; fi; } ) ) ) } } } }; f`,
		"recursion of eval":    `x='eval "$x"'; eval "$x"`,
		"recursion of source":  `echo '. ./x.sh' >x.sh; . ./x.sh`,
		"recursion in $( )":    `f() { echo $(f); }; f; exit 1`,
		"recursion of scripts": `echo 'sh ./x.sh' >x.sh; sh ./x.sh`,
		"recursion of pipes":   `f() { f | f; }; f; exit 1`,
		"recursion of reading": `echo x >a; f() { f <a; }; f`,
		"recursion of texts":   `f() { f <<<x; }; f`,
		// Memory in one step.
		"many of one":           `x=$(seq 10000); y="` + strings.Repeat("$x", 20_000) + `"`,
		"many of one in array":  `x=$(seq 10000); y=(` + strings.Repeat(`"$x$x" `, 20_000) + `)`,
		"many of one, joined":   `x=$(seq 10000); y=(` + strings.Repeat(`"$x" `, 20_000) + `); echo "${y[*]}" | wc -c; exit 1`,
		"many of one, printed":  `x=$(seq 10000); printf '%s` + strings.Repeat("%s", 10_000) + `' ` + strings.Repeat(`"$x" `, 10_000),
		"many of one, set":      `x=$(seq 10000); set -- ` + strings.Repeat(`"$x" `, 10_000) + `; y="$*$*$*$*"; exit 1`,
		"many of one, in a doc": "x=$(seq 10000); cat <<END | wc -c\n" + strings.Repeat("$x\n", 20_000) + "END\nexit 1",
		"many of one, export":   `x=$(seq 10000); export y="` + strings.Repeat("$x", 20_000) + `"`,
		"many of one, test":     `x=$(seq 10000); [[ -n "` + strings.Repeat("$x", 20_000) + `" ]]`,
		"many of one, case":     `x=$(seq 10000); case "` + strings.Repeat("$x", 20_000) + `" in x) ;; esac`,
		"many of one, for":      `x=$(seq 10000); for i in ` + strings.Repeat(`"$x$x" `, 20_000) + `; do exit 1; done`,
		"many of one, default":  `x=$(seq 10000); echo ${y:-` + strings.Repeat("$x", 20_000) + `} | wc -c; exit 1`,
		"many of one, indirect": `x=$(seq 10000); n=x; y="` + strings.Repeat("${!n}", 20_000) + `"`,
		"doubling":              `x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done`,
		"doubling, no command":  "x=aaaaaaaaaaaaaaaa\n" + strings.Repeat("x=$x$x\n", 40) + ":",
		"doubling, appended":    "x=aaaaaaaaaaaaaaaa\n" + strings.Repeat("x+=$x\n", 40) + ":",
		"doubling, declared":    "x=aaaaaaaaaaaaaaaa\n" + strings.Repeat("declare x=$x$x\n", 40) + ":",
		"doubling an array":     "x=(aaaaaaaaaaaaaaaa)\n" + strings.Repeat(`x+=("${x[@]}")`+"\n", 40) + ":",
		"doubling parameters":   "set -- aaaaaaaaaaaaaaaa\n" + strings.Repeat(`set -- "$@" "$@"`+"\n", 40) + ":",
		"doubling in :=":        "x=aaaaaaaaaaaaaaaa\n" + strings.Repeat(": ${y:=$x$x}; x=$y; unset y\n", 40) + ":",
		"doubling in let":       "x=aaaaaaaaaaaaaaaa\n" + strings.Repeat("read y <<<$x$x; x=$y\n", 40) + ":",
		"doubling a name":       "x=aaaaaaaaaaaaaaaa\n" + strings.Repeat("export \"x=$x$x\"\n", 40) + ":",
		"replacing":             `x=$(printf '%99999d' 1); for i in 1 2 3; do x=${x// /$x}; done`,
		"replacing, long text":  `x=$(printf '%99999d' 1); y=${x// /` + strings.Repeat("z", 100_000) + `}; exit 1`,
		"replacing each":        `x=$(printf '%99999d' 1); a=($x $x $x); a=("$x" "$x"); b=("${a[@]// /$x}")`,
		"replacing for nothing": `x=$(printf '%99999d' 1); echo "${x//?/$x$x$x}" | wc -c; exit 1`,
		"braces":                `echo {1..1000000000}; exit 1`,
		"braces of braces":      `echo {1..1000}{1..1000}{1..1000}; exit 1`,
		"braces and text":       `x=$(printf '%99999d' 1); y=({1..10000}"$x")`,
		"braces and long text":  `y=({1..10000}` + strings.Repeat("a", 200_000) + `); exit 1`,
		"braces of commas":      `x=$(printf '%99999d' 1); echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"$x" | wc -c; exit 1`,
		"wide printf":           `printf '%1000000000d' 1; exit 1`,
		"many wide printfs":     `printf '` + strings.Repeat("%99999d", 10_000) + `' 1; exit 1`,
		// Memory bit by bit.
		"substitution without end": `x=$(yes); exit 1`,
		"file of zeros":            `x=$(</dev/zero); exit 1`,
		"line without end":         `yes | tr -d '\n' | mapfile x; exit 1`,
		"echo without end":         `x=$(while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done)`,
		"array without end":        `while :; do a+=(` + strings.Repeat("a", 2000) + `); done`,
		"globs of globs":           `mkdir -p a/b b/b c/b d/b; touch a/x a/y a/z; echo */../*/../*/../*/../*/../*/../*/../*/../*/../*/../*/../*/../*/../* | wc -c; exit 1`,
		// Time in one step.
		"patterns":         `x=$(printf '%99999d' 1); p='* '; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do p=$p$p; done; echo "${x##$p}"; [[ $x == $p ]]; case $x in $p) ;; esac; exit 1`,
		"long patterns":    `x=$(printf '%99999d' 1); [[ $x == ` + strings.Repeat("*a", 20_000) + ` ]]`,
		"expressions":      `x=$(printf '%99999d' 1); p='( |a)*'; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do p=$p$p; done; [[ $x =~ $p ]]`,
		"command patterns": `x=$(printf '%99999d' 1); echo ${x#$(yes)}; exit 1`,
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		if i%each != 0 {
			continue
		}
		text := cases[name]
		t.Run(name, func(t *testing.T) {
			done := watchHeap(memory * 12)
			got := script(t.Context(), r, text, wasi.Cmd{Files: project(t, nil)})
			if most, over := done(); over {
				t.Errorf("the program's heap has grown by %d MiB", most>>20)
			}
			if got.code == 0 {
				t.Errorf("it ended well: %.100q", got.out)
			}
			if got.code == 124 || got.code == -1 {
				t.Errorf("it ended with %v", got.why)
			}
			if testing.Verbose() {
				t.Logf("%v: %.200s", got.why, got.err)
			}
		})
	}
	// And the next one has all it wants.
	if got := script(t.Context(), r, "seq 1000 | sort -n | tail -n 1", wasi.Cmd{Files: project(t, nil)}); got.out != "1000\n" {
		t.Errorf("afterwards: %+v", got)
	}
}

// watchHeap looks at the heap while a script runs: whether it grows by more than limit.
func watchHeap(limit uint64) (done func() (most uint64, over bool)) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	quit, result := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-quit:
				result <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() (uint64, bool) {
		close(quit)
		most := <-result
		most -= min(most, before)
		return most, most > limit
	}
}

// Scripts that use what is looked at are not in its way.
func TestScriptRoom(t *testing.T) {
	files := sam.Files{"big.txt": strings.Repeat("some words and more of them\n", 20_000)}
	for _, test := range []struct{ script, out string }{
		{`x=$(cat big.txt); echo ${#x}; y=${x//some/any}; echo ${#y}; z=${x//words/$((1+1))}; echo ${#z}`, "559999\n539999\n479999\n"},
		{`x=$(<big.txt); echo ${#x}; echo "$x" | wc -l; set -- "$x" "$x"; echo $#; echo "${x##*some }"`, "559999\n20000\n2\nwords and more of them\n"},
		{`a=({1..5000}); echo ${#a[@]}; b=("${a[@]/1/x}"); echo ${b[4999]} ${b[0]}; for i in "${a[@]}"; do n=$((n + i)); done; echo $n`, "5000\n5000 x\n12502500\n"},
		{`x=1; echo ` + strings.Repeat("$x", 200) + ` | wc -c; echo ~/a$x` + strings.Repeat("$x", 20) + `; cat <<END` + "\n" + strings.Repeat("$x", 30) + "\nEND", "201\n/project/a" + strings.Repeat("1", 21) + "\n" + strings.Repeat("1", 30) + "\n"},
		{`declare -A m; k="a b"; m["$k"]=5; m[x$k]=6; echo ${m[$k]} "${m["x$k"]}"; f() { local p=$1; echo "${p%$(echo .txt)}"; }; f a.txt`, "5 6\na\n"},
		{`p=$PWD/src; echo ${p#$PWD/} ${p/$(pwd)/.} ${p//\//$k:$k:$k:}; case $p in $PWD/*) echo in;; esac; [[ $p == $PWD* && $p =~ ^/(.*)/$(echo src)$ ]] && echo ${BASH_REMATCH[1]}`, "src ./src :::project:::src\nin\nproject\n"},
		{`set -- a "b c" d; echo ` + strings.Repeat("$1", 20) + ` "$@" | wc -w; f() { echo "$# $*" | tr a-z A-Z; }; f "$@"; seq 2 | while read l; do echo "$l $1"; done`, "5\n3 A B C D\n1 a\n2 a\n"},
		{`n=0; seq 3 | while read l; do n=$((n + 1)); done; echo $n; echo x | read y; echo "[$y]"; f() { echo a | return 4; echo $?; }; f; true | exit 3; echo $?; echo a | { cd /tmp; pwd; }; pwd`, "0\n[]\n4\n3\n/tmp\n/project\n"},
		{`set -o pipefail; false | true; echo $?; (exit 3) | exit 4 | true; echo $?; set -e; if false | true; then :; else echo no; fi; true | false; echo never`, "1\n4\nno\n"},
		{`echo a |& cat; ls nothing |& grep -c nothing; for i in 1 2 3; do echo $i | { read x; [ $x = 2 ] && exit; echo $x; }; done; echo x | sed s/x/y/ | { cat; echo z; } >f; cat f`, "a\n1\n1\n3\ny\nz\n"},
	} {
		got := script(t.Context(), shared(), test.script, wasi.Cmd{Files: project(t, files)})
		if got.out != test.out {
			t.Errorf("%.200s\ngot %q\nwant %q\n%s%v", test.script, got.out, test.out, got.err, got.why)
		}
	}
}

// A fault in a command in Go is that command's, in a pipe and without a shell.
func TestFaultInBuiltin(t *testing.T) {
	r, err := wasi.New(&wasi.Options{Builtins: map[string]wasi.Builtin{"faulty": func(context.Context, *wasi.Cmd) error { panic("a fault") }}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	app := project(t, nil)
	if got := run(t.Context(), r, wasi.Cmd{Files: app, Args: []string{"faulty"}}); got.code != 134 || got.err != "faulty: crashed: a fault\n" {
		t.Errorf("%+v", got)
	}
	got := script(t.Context(), r, "faulty | cat; echo a | faulty; echo $?; x=$(faulty); echo $?", wasi.Cmd{Files: app})
	if got.out != "134\n134\n" || got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// Filters of jq that ask for too much, of memory or of time, end as filters.
func TestJQBounds(t *testing.T) {
	r, err := wasi.New(&wasi.Options{Memory: 32 << 20, Timeout: 60 * time.Second, Output: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	app := project(t, nil)
	for i, filter := range []string{
		`[range(1e9)]`, `[limit(1e9; repeat(1))]`, `"abc" * 1000000000`, `.[1000000000] = 1`, `"x" * 1000000 | [range(1000000) as $i | .] | add`,
		`"x" * 1000000 | . as $x | [range(100000) | $x] | join(",")`, `"x" * 1000000 | . as $x | [range(100000) | $x] | tojson`,
		`reduce range(64) as $i (1; [., .])`, `reduce range(100000) as $i ("x"; . + .)`, `def f: 1 + f; f`, `def f: [f]; f`, `"x" * 30000000 | @base64 | @base64 | @base64d`,
		`reduce range(100000) as $i (null; [.]) | tojson`, `[range(100000)] | tojson * 1000 | fromjson`, `[limit(3000000; repeat("x"))] | implode`,
	} {
		if i%each != 0 {
			continue
		}
		done := watchHeap(600 << 20)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		got := run(ctx, r, wasi.Cmd{Files: app, Args: []string{"jq", "-n", filter}})
		cancel()
		if most, over := done(); over {
			t.Errorf("%s: the program's heap has grown by %d MiB", filter, most>>20)
		}
		if got.code == 0 {
			t.Errorf("%s: it ended well: %.100q", filter, got.out)
		}
		t.Logf("%s: %v, %.100q", filter, got.why, got.err)
	}
}
