// Package declarations has tsc --strict judge what host.TypeScript writes.
package declarations

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/host/engine"
	"samkit.dev/internal/conformance/peer"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

type inner struct {
	Words []string           `json:"words"`
	By    map[string]float64 `json:"by,omitempty"`
}

type embedded struct {
	Extra string `json:"extra"`
}

type level string

// MarshalText makes level a string by its own doing.
func (l level) MarshalText() ([]byte, error) { return []byte(l), nil }

type wide struct {
	embedded
	Text    string            `json:"text" jsonschema:"has a comment that ends */ too early"`
	Count   int               `json:"count"`
	Large   int64             `json:"large"`
	Larger  *big.Int          `json:"larger,omitempty"`
	Ratio   float32           `json:"ratio"`
	Yes     bool              `json:"yes"`
	When    time.Time         `json:"when"`
	Data    []byte            `json:"data"`
	Raw     json.RawMessage   `json:"raw,omitempty"`
	Any     any               `json:"any,omitempty"`
	Nested  inner             `json:"nested"`
	Pointer *inner            `json:"pointer,omitempty"`
	List    []inner           `json:"list"`
	Lists   [][]int           `json:"lists"`
	Pair    [2]int            `json:"pair"`
	Map     map[string]inner  `json:"map"`
	Level   level             `json:"level"`
	Odd     string            `json:"odd-name"`
	Class   string            `json:"class"`
	Deep    map[string][]*int `json:"deep,omitempty"`
}

// tree is what a recursive type has to be given by hand.
const tree = `{"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"kind":{"enum":["leaf","branch",7,null,true]},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"],"additionalProperties":false}},"$ref":"#/$defs/node"}`

func wides() *host.Capabilities {
	caps := host.New()
	for version := 1; version <= 2; version++ {
		c := caps.Define("wide", version)
		host.Register(c, "echo", "Says */ what it hears.", func(_ context.Context, in wide) (wide, error) { return in, nil })
		host.Register(c, "optional", "", func(_ context.Context, in struct {
			A string `json:"a,omitempty"`
		}) ([]string, error) {
			return nil, nil
		})
		host.Register(c, "nothing", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
		host.Register(c, "levels", "", func(context.Context, struct{}) (iter.Seq2[struct {
			Level level `json:"level"`
		}, error], error) {
			return nil, nil
		})
		host.Register(c, "bytes", "", func(context.Context, struct{}) (io.Reader, error) { return nil, nil })
		same := func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil }
		c.Add(host.Func{Name: "tree", Input: json.RawMessage(tree), Output: json.RawMessage(tree)}, same)
		c.Add(host.Func{Name: "unknown"}, same)
		c.Add(host.Func{Name: "either", Input: json.RawMessage(`{"oneOf":[{"type":"string"},{"type":"array","prefixItems":[{"type":"number"},{"const":"x"}]}]}`), Output: json.RawMessage(`{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":{"type":"boolean"}}]}`)}, same)
		c.Add(host.Func{Name: "loop", Input: json.RawMessage(`{"$ref":"#"}`)}, same)
	}
	return caps
}

// callers are env.HOST and env.TOOL as a bench gives them, with all that they can have.
func callers(t *testing.T) (agent, session host.Caller) {
	t.Helper()
	ctx := t.Context()
	eng, err := engine.New(&engine.Options{Isolation: engine.InProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Close() })
	b, err := workbench.New(ctx, sam.NewWorkspace(sam.NewMemStore(), "ada", nil), eng, &workbench.Options{Capabilities: wides()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if _, err := b.Create(ctx, "bot", nil); err != nil {
		t.Fatal(err)
	}
	if err := b.SetAgent(ctx, "bot"); err != nil {
		t.Fatal(err)
	}
	s, err := b.OpenTool(ctx, "bot", tool.Grant{Project: "bot", Paths: []string{"**"}, Mode: tool.ReadWrite, Uses: []string{"wide@1.*", "console@1.read", "canvas@1.reload"}})
	if err != nil {
		t.Fatal(err)
	}
	app, err := b.App(ctx, canvas.Visitor{Session: s.ID}, "bot")
	if err != nil {
		t.Fatal(err)
	}
	return b.Host(), app.Tool
}

func TestTSC(t *testing.T) {
	peer.Require(t)
	js, err := peer.Install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agent, session := callers(t)
	uses, err := os.ReadFile("testdata/functions.ts")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"HOST.d.ts": host.TypeScript("HOST", agent), "TOOL.d.ts": host.TypeScript("TOOL", session),
		"WIDE.d.ts": host.TypeScript("WIDE", wides().Get("wide", 2)), "functions.ts": string(uses), "package.json": `{"type":"module"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(js, "node_modules", "typescript", "bin", "tsc"),
		"--strict", "--noEmit", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022", "--lib", "es2022,webworker", "--module", "nodenext", "--types", "",
		"functions.ts", "HOST.d.ts", "TOOL.d.ts", "WIDE.d.ts")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, said)
		for _, name := range []string{"HOST.d.ts", "TOOL.d.ts", "WIDE.d.ts"} {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			t.Logf("%s\n%s", name, text)
		}
	}
}
