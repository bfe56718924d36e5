package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(&engine.Options{Isolation: engine.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func newProject(t *testing.T) *sam.Project {
	t.Helper()
	p, err := sam.NewWorkspace(sam.NewMemStore(), "me", nil).Create(t.Context(), "app", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type lookup struct {
	ID int `json:"id"`
}

func crm() *host.Capabilities {
	caps := host.New()
	host.Register(caps.Define("crm", 1), "lookup", "Finds.", func(_ context.Context, in lookup) (string, error) {
		return strings.Repeat("x", in.ID), nil
	})
	return caps
}

func TestEval(t *testing.T) {
	p := newProject(t)
	if err := p.WriteFile(t.Context(), "notes/a.md", []byte("alpha")); err != nil {
		t.Fatal(err)
	}
	r := script.New(newEngine(t), p, &script.Options{Tools: tool.Everything(crm(), nil), Mode: script.Bypass, Timeout: 20 * time.Second})
	for _, c := range []struct{ code, want string }{
		{"return 1 + params.n", "3"},
		{"const a: number[] = [1]; return { a, b: 'x' }", `{"a":[1],"b":"x"}`},
		{"", `{"$undefined":true}`},
		{"return [undefined, 2n ** 64n, NaN, new Date(0), new Map([[1, new Set(['x'])]]), { $a: 1 }, null, () => {}]",
			`[{"$undefined":true},{"$bigint":"18446744073709551616"},{"$number":"NaN"},{"$date":"1970-01-01T00:00:00.000Z"},{"$map":[[1,{"$set":["x"]}]]},{"$$a":1},null,{"$undefined":true}]`},
		{"return new Error('x')", `{"$error":{"name":"Error","message":"x"}}`},
		{"return await rtcAgent.readFile('notes/a.md')", `"alpha"`},
		{"return await rtcAgent.readFile('/notes/a.md')", `"alpha"`},
		{"return [await rtcAgent.listDir(), await rtcAgent.listDir('/notes/')]", `[["AGENT.md","functions/","notes/"],["a.md"]]`},
		{"return [await rtcAgent.listDir('functions'), await rtcAgent.listDir('functions/crm')]", `[["INDEX.md","crm/","system/"],["lookup.md"]]`},
		{"return (await rtcAgent.readFile('/functions/INDEX.md')).split('\\n').filter((l) => /crm|delay/.test(l)).length + (await rtcAgent.readFile('/functions/system/uuid.md')).slice(0, 13) + (await rtcAgent.readFile('/functions/crm/lookup.md')).includes('id: number')", `"2# system.uuidtrue"`},
		{"try { await rtcAgent.writeFile('AGENT.md', 'x') } catch (e) { return e.code }", `"denied"`},
		{"return (await rtcAgent.readFile('/AGENT.md')).slice(0, 9)", `"# Scripts"`},
		{"return 'é'.repeat(520000).length", "520000"},
		{"return (await Promise.all([1, 2].map(() => rtcAgent.listDir('notes')))).flat()", `["a.md","a.md"]`},
		{"await rtcAgent.writeFile('b.txt', 'beta'); return await rtcAgent.readFile('b.txt')", `"beta"`},
		{"return await rtcAgent.callFunction('crm@1.lookup', { id: 2 })", `"xx"`},
		{"return await rtcAgent.crm.lookup({ id: 3 })", `"xxx"`},
		{"try { await rtcAgent.readFile('../x') } catch (e) { return [e.name, e.code] }", `["Error","invalid"]`},
		{"try { await rtcAgent.readFile('none') } catch (e) { return e.code }", `"not_found"`},
		{"try { await rtcAgent.crm.lookup({ id: 'x' }) } catch (e) { return e.code }", `"invalid"`},
		{"await rtcAgent.system.delay(1); return [rtcAgent.system.uuid().length, rtcAgent.system.uuid(3).length, typeof rtcAgent.system.now(), rtcAgent.system.timezone(), rtcAgent.system.time().length, rtcAgent.system.random({ min: 2, max: 2, integer: true })]", `[36,3,"number","UTC",24,2]`},
		{"try { rtcAgent.system.delay(60001) } catch (e) { return e.message }", `"delay is not from 0 to 60000"`},
		{"try { rtcAgent.system.uuid(101) } catch (e) { return e.message }", `"count is not from 1 to 100"`},
		{"return [typeof params, this === undefined, Object.getOwnPropertyNames(Object.groupBy([1], () => 'k')).join()]", `["object",true,"k"]`},
		{"const k = ['con', 'structor'].join(''); try { (() => {})[k]('return 1')() } catch (e) { return e.name }", `"EvalError"`},
		{"return atob(btoa('x')) + new URL('http://a/b').pathname + structuredClone(1)", `"x/b1"`},
		{"Array.prototype.map = JSON.stringify = Object.keys = () => 'mine'; return { a: 1 }", `"mine"`},
	} {
		res, err := r.Eval(t.Context(), script.Source{Code: c.code}, map[string]int{"n": 2})
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		if strings.Contains(c.want, "mine") {
			continue // what a script does to itself; it need not hurt us
		}
		if string(res.Value) != c.want || res.Failed {
			t.Errorf("%s = %s %q, want %s", c.code, res.Value, res.Errors, c.want)
		}
	}
}

func TestEnds(t *testing.T) {
	buffer := console.NewBuffer(1 << 20)
	e, p := newEngine(t), newProject(t)
	r := script.New(e, p, &script.Options{Mode: script.Bypass, Timeout: 2 * time.Minute, Console: buffer})
	short := script.New(e, p, &script.Options{Mode: script.Bypass, Timeout: time.Second})
	for _, c := range []struct{ code, killed, last string }{
		{"throw new TypeError('no')", "", "TypeError: no"},
		{"throw 5", "", "5"},
		{"null.x", "", "TypeError"},
		{"await Promise.reject(new RangeError('r'))", "", "RangeError: r"},
		{"for (let i = 0; i >= 0; i++) {}", "*", ""},
		{"return 'x'.repeat(2 << 20)", "", "RangeError: The result has more than 1048576 bytes"},
		{"return 'é'.repeat(900000)", "", "RangeError: The result has more than 1048576 bytes"},
		{"const a = []; a.push(a); return a", "", "TypeError: The result holds itself"},
		{"const a = []; for (let i = 0; i >= 0; i++) a.push(new Array(1000).fill(i))", "*", ""},
		{"for (let i = 0; i < 2000; i++) await rtcAgent.listDir()", "*", "Error: the request made more calls"},
		{"for (let i = 0; i >= 0; i++) console.log('x'.repeat(1000))", "*", ""},
		{"await new Promise(() => {})", "", ""},
		{"function f() { return f() + 1 } return f()", "", ""},
	} {
		run := r
		if c.killed == "*" && c.last == "" { // what runs on and on
			run = short
		}
		res, err := run.Eval(t.Context(), script.Source{Code: c.code, Lang: "js"}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		if !res.Failed || c.killed == "*" != (res.Killed != "") || len(res.Errors) == 0 || !strings.HasPrefix(res.Errors[len(res.Errors)-1], c.last) {
			t.Errorf("%s: %+v", c.code, res)
		}
	}
	if res, err := r.Eval(t.Context(), script.Source{Code: "return 'x'.repeat(1e6)"}, nil); err != nil || len(res.Value) != 1e6+2 {
		t.Error("a large result:", err)
	}
	res, err := r.Eval(t.Context(), script.Source{Code: "for (let i = 0; i < 150; i++) console.log('n', i, { a: [i, new Map()] }); console.warn('w'); console.error(new Error('e')); return 1"}, nil)
	if err != nil || string(res.Value) != "1" {
		t.Fatal(res, err)
	}
	if len(res.Logs) != script.MaxLines || res.Logs[1] != `n 1 {"a":[1,{"$map":[]}]}` || len(res.Warnings) != 1 || res.Warnings[0] != "w" || len(res.Errors) != 1 || res.Errors[0] != "Error: e" {
		t.Errorf("%d logs, %q, %q, %q", len(res.Logs), res.Logs[:2], res.Warnings, res.Errors)
	}
	if _, last := buffer.Range(); last < 152 {
		t.Errorf("the console has %d entries", last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Eval(ctx, script.Source{Code: "return 1"}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBlocked(t *testing.T) {
	r := script.New(newEngine(t), newProject(t), &script.Options{Mode: script.Bypass})
	for _, try := range []func() error{
		func() error {
			_, err := r.Eval(t.Context(), script.Source{Code: "const a: A = 1;\nfetch('x')"}, nil)
			return err
		},
		func() error {
			return r.Save(t.Context(), script.Source{Name: "a", Code: "const a: A = 1;\nfetch('x')"})
		},
	} {
		var blocked *script.BlockedError
		if err := try(); !errors.As(err, &blocked) || len(blocked.Uses) != 1 || blocked.Uses[0].Line != 2 || blocked.Uses[0].Category != "network" || !strings.Contains(err.Error(), "rtcAgent.callFunction") {
			t.Error(err)
		}
	}
	if _, err := r.Load(t.Context(), "a"); err == nil {
		t.Error("a blocked script was saved")
	}
}

func TestModes(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	var asked []string
	answer := true
	confirm := func(_ context.Context, q tool.Question) (tool.Answer, error) {
		asked = append(asked, q.Func.Name)
		return tool.Answer{Allow: answer}, nil
	}
	const code = "try { await rtcAgent.writeFile('a.txt', 'x'); return 'written' } catch (e) { return e.code }"
	for _, c := range []struct {
		mode        script.Mode
		want, asked string
	}{
		{script.Manual, `"written"`, "run writeFile"}, {script.Edit, `"written"`, "run"}, {script.Plan, `"denied"`, "run"}, {script.Auto, `"written"`, "run"}, {script.Bypass, `"written"`, ""},
	} {
		asked = nil
		res, err := script.New(e, p, &script.Options{Mode: c.mode, Confirm: confirm}).Eval(t.Context(), script.Source{Code: code}, nil)
		if err != nil || string(res.Value) != c.want || strings.Join(asked, " ") != c.asked {
			t.Errorf("mode %d: %+v %v, asked %q", c.mode, res, err, asked)
		}
	}
	asked = nil
	r := script.New(e, p, &script.Options{Mode: script.Auto, Confirm: confirm})
	for range 3 {
		if _, err := r.Eval(t.Context(), script.Source{Code: "return 1"}, nil); err != nil {
			t.Error(err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("auto asked %q", asked)
	}
	answer = false
	for _, o := range []*script.Options{nil, {Confirm: confirm}, {Mode: script.Auto}} {
		var denied *host.Error
		if _, err := script.New(e, p, o).Eval(t.Context(), script.Source{Code: "return 1"}, nil); !errors.As(err, &denied) || denied.Code != host.Denied {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestPaths(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	for _, f := range []string{"docs/a.md", "secret.md"} {
		if err := p.WriteFile(t.Context(), f, []byte(f)); err != nil {
			t.Fatal(err)
		}
	}
	set, err := tool.NewSet(crm(), nil, tool.Grant{Project: p.ID(), Paths: []string{"docs/**"}, Mode: tool.Read})
	if err != nil {
		t.Fatal(err)
	}
	r := script.New(e, p, &script.Options{Tools: set, Mode: script.Bypass})
	const code = `
const out = [];
const tries = [() => rtcAgent.readFile("docs/a.md"), () => rtcAgent.readFile("secret.md"), () => rtcAgent.readFile("docs/../secret.md"), () => rtcAgent.readFile("docs//a.md"),
  () => rtcAgent.writeFile("docs/a.md", "x"), () => rtcAgent.writeFile("x.md", "x"), () => rtcAgent.listDir()];
for (const t of tries) try { out.push(await t()) } catch (e) { out.push(e.code) }
return out`
	res, err := r.Eval(t.Context(), script.Source{Code: code}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `["docs/a.md","denied","invalid","invalid","denied","denied",["AGENT.md","docs/","functions/"]]`; string(res.Value) != want {
		t.Errorf("%s, want %s", res.Value, want)
	}
	set.Revoke()
	if res, err := r.Eval(t.Context(), script.Source{Code: code}, nil); err != nil || !strings.HasPrefix(string(res.Value), `["denied"`) {
		t.Error(res, err)
	}
}

func TestSaved(t *testing.T) {
	p := newProject(t)
	r := script.New(newEngine(t), p, &script.Options{Mode: script.Bypass})
	src := script.Source{Name: "add-up", Description: "adds: \"two\"", Code: "return params.a + params.b // ```"}
	if err := r.Save(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	first, _ := p.ReadFile(t.Context(), "scripts/add-up.md")
	res, err := r.Run(t.Context(), "add-up", map[string]int{"a": 1, "b": 2})
	if err != nil || string(res.Value) != "3" {
		t.Error(res, err)
	}
	if got, err := r.Load(t.Context(), "add-up"); err != nil || got.Description != src.Description || got.Code != src.Code || got.Lang != "ts" {
		t.Errorf("%+v %v", got, err)
	}
	if err := r.Save(t.Context(), src); err != nil {
		t.Error(err)
	}
	if again, _ := p.ReadFile(t.Context(), "scripts/add-up.md"); string(again) != string(first) {
		t.Errorf("%s\n%s", first, again)
	}
	for file, want := range map[string]string{
		"return 'bare'":                      `"bare"`,
		"---\nname: x\n---\nreturn 'headed'": `"headed"`,
		"# Title\n\n```ts\nconst a: number = 1\n```\ntext\n```\nreturn a + 1\n```\n": "2",
		"---\r\nname: x\r\n---\r\n```js\r\nreturn 'crlf'\r\n```\r\n":                 `"crlf"`,
		"```js\nreturn 'open'":                 `"open"`,
		"````ts\nreturn 5 /*\n```\n*/\n````\n": "5",
	} {
		if err := p.WriteFile(t.Context(), "scripts/x.md", []byte(file)); err != nil {
			t.Fatal(err)
		}
		if res, err := r.Run(t.Context(), "x", nil); err != nil || string(res.Value) != want {
			t.Errorf("%q: %+v %v", file, res, err)
		}
	}
	for _, name := range []string{"", "A", "-a", "a/b", "../a", strings.Repeat("a", 65), "é"} {
		if err := r.Save(t.Context(), script.Source{Name: name, Code: "return 1"}); err == nil {
			t.Errorf("saved as %q", name)
		}
	}
	if _, err := r.Run(t.Context(), "none", nil); err == nil {
		t.Error("ran a script that there is not")
	}
	if _, err := json.Marshal(res); err != nil {
		t.Error(err)
	}
}
