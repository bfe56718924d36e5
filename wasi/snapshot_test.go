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
