package peer

import (
	"os"
	"strings"
	"testing"

	"samkit.dev/host/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// open starts both runtimes until the end of the test.
func open(t *testing.T) *Both {
	Require(t)
	both, err := Open(t.Context(), engine.InProcess)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := both.Close(); err != nil {
			t.Error(err)
		}
	})
	return both
}

func TestBothAnswer(t *testing.T) {
	samkit, workerd, err := open(t).Ask(t.Context(), Worker{
		Name: "first",
		Files: map[string]string{
			"src/index.js": `import { answer } from "./lib.js";
				export default {
					async fetch(request, env) {
						await env.KV.put("a", "b");
						await env.DB.exec("CREATE TABLE t(a)");
						return Response.json([answer, env.NAME, await env.KV.get("a"), await env.DB.prepare("SELECT 2 AS n").first("n"),
							new URL(request.url).pathname]);
					}
				}`,
			"src/lib.js": `export const answer = 42`,
		},
		Entry: "src/index.js",
		Vars:  map[string]string{"NAME": "var"},
	}, "/some/path?q")
	if err != nil {
		t.Fatal(err)
	}
	const want = `200 [42,"var","b",2,"/some/path"]`
	if samkit.String() != want || workerd.String() != want {
		t.Errorf("samkit  %v\nworkerd %v\nwant    %v", samkit, workerd, want)
	}
}

func TestPackages(t *testing.T) {
	samkit, workerd, err := open(t).Ask(t.Context(), Worker{
		Files:    map[string]string{"worker.js": `import kleur from "kleur"; export default { fetch() { return new Response(kleur.red("x")) } }`},
		Packages: []string{"kleur"},
	}, "/")
	if err != nil || samkit.Status != 200 || samkit.String() != workerd.String() {
		t.Errorf("%v %v %v", samkit, workerd, err)
	}
}

func TestWorkersThatCannotStart(t *testing.T) {
	both := open(t)
	for _, source := range []string{"export default {", `import "nowhere-to-be-found"; export default {}`} {
		w := Worker{Files: map[string]string{"worker.js": source}}
		if _, err := both.Workerd.Start(t.Context(), w); err == nil {
			t.Errorf("workerd starts %s", source)
		}
	}
	if _, err := both.Samkit.Start(t.Context(), Worker{Entry: "gone.js"}); err == nil || !strings.Contains(err.Error(), "gone.js") {
		t.Errorf("a missing entry: %v", err)
	}
}
