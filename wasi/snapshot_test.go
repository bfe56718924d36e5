package wasi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// jq starts from memory that was kept. Each run has its own arguments, variables, folder, files and streams all the same,
// and nothing of one is in the next.
func TestSnapshotOfNobody(t *testing.T) {
	const runs = 8
	filter := `[$ENV.NAME, env.HOME, $ENV.PWD, $x, input_filename, (now > 1e9), .secret, own, ([{a: 1}, 2] | [tostream] | length)]`
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			app := project(t, sam.Files{
				fmt.Sprintf("d%d/in.json", i): fmt.Sprintf(`{"secret": %d}`, i),
				"home/.jq":                    fmt.Sprintf(`def own: "home %d";`, i),
			})
			for range 3 {
				got := run(t.Context(), shared(), wasi.Cmd{
					Files: app, Dir: fmt.Sprintf("d%d", i), Env: []string{fmt.Sprintf("NAME=name %d", i), "HOME=/project/home"},
					Args: []string{"jq", "-c", "--arg", "x", fmt.Sprint("x", i), filter, "in.json"},
				})
				want := strings.ReplaceAll(`["name N","/project/home","/project/dN","xN","in.json",true,N,"home N",4]`+"\n", "N", fmt.Sprint(i))
				if got.out != want || got.err != "" {
					t.Errorf("%+v, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
	// Without variables, a folder or a library there are none.
	got := run(t.Context(), shared(), wasi.Cmd{Files: project(t, nil), Args: []string{"jq", "-nc", `[$ENV.NAME, $ENV.PWD, input_filename], [try ($__loc__ | .line) catch .]`}})
	if got.out != "[null,\"/project\",null]\n[1]\n" {
		t.Errorf("%+v", got)
	}
	if got := run(t.Context(), shared(), wasi.Cmd{Files: project(t, nil), Args: []string{"jq", "-n", "own"}}); got.code != 3 {
		t.Errorf("%+v", got)
	}
}

// All that jq defines itself is there, and does what it does where it is parsed for each run. Its objects must be found by the
// hashes of this run.
func TestSnapshotOfAll(t *testing.T) {
	app := project(t, sam.Files{
		"lib/a.jq": `import "b" as b; def f: b::g + 1; def unused: nothing_of_it;`, "lib/b.jq": "def g: 41;", "lib/c.jq": `import "b" as b; def f: b::g + 1;`, "lib/d.json": `{"k": [1, 2]}`,
		"in.json": `{"x": [1, 2, {"y": "z"}], "n": 5, "s": "abc def"}`,
	})
	for _, c := range []struct{ filter, out, err string }{
		{`[tostream]`, `[[["x",0],1],[["x",1],2],[["x",2,"y"],"z"],[["x",2,"y"]],[["x",2]],[["n"],5],[["s"],"abc def"],[["s"]]]`, ""},
		{`fromstream(tostream) == .`, "true", ""},
		{`[builtins | contains(["map/1", "tostream/0", "builtins/0", "splits/2", "length/0"])], (builtins | length == (unique | length))`, "[true]\ntrue", ""},
		{`walk(if type == "string" then ascii_upcase else . end)`, `{"x":[1,2,{"y":"Z"}],"n":5,"s":"ABC DEF"}`, ""},
		{`.s | [sub("a"; "b"), (capture("(?<q>b)") | .q), [splits(" ")], test("B"; "i"), @base64, ltrimstr("a")]`, `["bbc def","b",["abc","def"],true,"YWJjIGRlZg==","bc def"]`, ""},
		{`[limit(3; range(10))], [paths | length], with_entries(.value |= tostring).n, (.x | tojson | fromjson | length)`, "[0,1,2]\n[1,2,2,2,3,1,1]\n\"5\"\n3", ""},
		{`import "c" as c; import "d" as $d; [c::f, $d::d]`, `[42,[{"k":[1,2]}]]`, ""},
		{`import "a" as a; a::f`, "42", ""},
		{`import "a" as a; a::unused`, "", "nothing_of_it/0 is not defined"},
		{`nothing(1)`, "", "nothing/1 is not defined at <top-level>, line 1"},
		{`def f: def g: 3; g; f, $x`, "", "$x is not defined"},
		{`def f: 1;`, `{"x":[1,2,{"y":"z"}],"n":5,"s":"abc def"}`, ""},
		{`def map(f): "mine"; map(.), (.x | map(numbers) | tostring)`, "\"mine\"\n\"mine\"", ""},
	} {
		got := run(t.Context(), shared(), wasi.Cmd{Files: app, Args: []string{"jq", "-c", "-L", "/project/lib", c.filter, "in.json"}})
		if strings.TrimSpace(got.out) != c.out || !strings.Contains(got.err, c.err) || c.err == "" && got.err != "" {
			t.Errorf("%s: %+v", c.filter, got)
		}
	}
}

// Python goes on from memory that was kept, and finds what it would find had it been started now; with options and variables for itself
// it is started.
func TestSnapshotOfPython(t *testing.T) {
	app := project(t, sam.Files{"d/a.py": "import sys\nprint(sys.argv, sys.orig_argv, __file__, sys.path[0], __name__)\n"})
	seen := map[string]bool{}
	for i := range 4 {
		got := run(t.Context(), shared(), wasi.Cmd{
			Files: app, Dir: "d", Env: []string{fmt.Sprint("N=", i), "A=b=c"}, Stdin: strings.NewReader("typed\n"),
			Args: []string{"python3", "-c", "import os, sys; print(os.environ['N'], os.environ['A'], os.environ['PWD'], os.getcwd(), sys.argv, input(), sys.path[0] == ''); print(hash('not a name of the library'), file=sys.stderr)", "x"},
		})
		if want := fmt.Sprintf("%d b=c /project/d /project/d ['-c', 'x'] typed True\n", i); got.out != want || got.code != 0 {
			t.Errorf("%+v, want %s", got, want)
		}
		seen[got.err] = true
	}
	if len(seen) != 4 {
		t.Errorf("strings have the same hashes in several runs: %v", seen)
	}
	for _, c := range []struct{ args, env, out string }{
		{"-I|-c|import sys; print(sys.flags.isolated)", "", "1\n"},
		{"-c|print(hash('os'))|x", "PYTHONHASHSEED=0", ""},
		{"-c|import sys; print(sys.path[1])", "PYTHONPATH=/project", "/project\n"},
		{"-c|import sys; print(set('ab') == {'b', 'a'}, {'os': 1}['o' + 's'], getattr(sys, 'pa' + 'th') is sys.path)", "", "True 1 True\n"},
	} {
		cmd := wasi.Cmd{Files: app, Dir: "d", Args: append([]string{"python3"}, strings.Split(c.args, "|")...)}
		if c.env != "" {
			cmd.Env = []string{c.env}
		}
		got := run(t.Context(), shared(), cmd)
		if c.out == "" { // the same in each run
			c.out = run(t.Context(), shared(), cmd).out
		}
		if got.out != c.out || got.err != "" {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
	// A variable that Python does not know keeps it from the snapshot.
	for _, args := range []string{"a.py|1", "../d/a.py", "/project/d/a.py", "-m|a|1", "-m|nothing", "nothing.py", "-c|1/0", "-c|import sys; sys.exit(3)", "-c|\xff", "",
		"-c|import sys, os; print(sorted(sys.modules), sys.path, sys.flags, sys.stdin, sys.stdout.line_buffering, sys.stderr, sys.executable, os.environ.get('HOME'), sys.getrecursionlimit(), sys.getfilesystemencoding())"} {
		cmd := wasi.Cmd{Files: app, Dir: "d", Args: []string{"python3"}, Stdin: strings.NewReader("import sys\nprint(sys.argv, sys.path)\n")}
		if args != "" {
			cmd.Args = append(cmd.Args, strings.Split(args, "|")...)
		}
		kept := run(t.Context(), shared(), cmd)
		cmd.Env, cmd.Stdin = []string{"PYTHONNOTHING=1"}, strings.NewReader("import sys\nprint(sys.argv, sys.path)\n")
		started := run(t.Context(), shared(), cmd)
		if kept.out != started.out || kept.err != started.err || kept.code != started.code {
			t.Errorf("%s: %+v, without the snapshot %+v", args, kept, started)
		}
	}
}
