package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// TestAcceptance has what scripts can do and can't, by rows of what was asked for, R1 to R43. Rows 2 to 4
// say why, and have no case of their own.
func TestAcceptance(t *testing.T) {
	tried := map[string]bool{}
	row := func(rows string) {
		for r := range strings.FieldsSeq(rows) {
			tried[r] = true
		}
	}
	e, p := newEngine(t), newProject(t)
	caps := crm()
	host.Register(caps.Define("task", 1), "create", "Makes a task.", func(_ context.Context, in struct {
		Title string `json:"title"`
	}) (map[string]string, error) {
		return map[string]string{"id": "T-1", "title": in.Title}, nil
	})
	buffer := console.NewBuffer(1 << 20)
	r := script.New(e, p, &script.Options{Tools: tool.Everything(caps, nil), Mode: script.Bypass, Console: buffer})
	for name, text := range map[string]string{
		"data/a.txt":         "alpha",
		"scripts/joined.md":  "---\nname: joined\ndescription: two blocks\n---\ntext\n```ts\nconst a: number = 1\n```\nmore text\n```js\nreturn a + 1\n```\n",
		"scripts/allcode.md": "const a: string = 'whole'\nreturn a",
	} {
		if err := p.WriteFile(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}

	// What scripts return.
	for _, c := range []struct{ rows, code, want string }{
		{"R1", "interface A { n: number }\nconst a: A = { n: 40 };\nenum E { Two = 2 }\nreturn a.n + E.Two", "42"},
		{"R8 R43", "return await rtcAgent.callFunction('crm.lookup', { id: 3 })", `"xxx"`},
		{"R8", "return await rtcAgent.callFunction('crm@1.lookup', { id: 1 })", `"x"`},
		{"R8", "return await rtcAgent.callFunction('no.such').catch((e) => e.code)", `"not_found"`},
		{"R9", "await rtcAgent.writeFile('data/b.txt', 'beta'); return [await rtcAgent.readFile('/data/a.txt'), await rtcAgent.listDir('data')]", `["alpha",["a.txt","b.txt"]]`},
		{"R9", "return await rtcAgent.readFile('data/../data/a.txt').catch((e) => e.code)", `"invalid"`},
		{"R10", "return await rtcAgent.task.create({ title: 'T' })", `{"id":"T-1","title":"T"}`},
		{"R11", "return [await Promise.resolve(1), new Date(0).getTime(), Math.max(1, 2), JSON.parse('[1]'), Array.of(1), Object.keys({ a: 1 }), String(1), Number('2'), Boolean(1), new Error('e').message]", `[1,0,2,[1],[1],["a"],"1",2,true,"e"]`},
		{"R12", "const k = {}; return [new Map([[1, 2]]).get(1), new Set([1, 1]).size, new WeakMap([[k, 1]]).get(k), new WeakSet([k]).has(k), new RegExp('a').test('a'), typeof Symbol('s'), BigInt(2) ** 3n]", `[2,1,1,true,true,"symbol",{"$bigint":"8"}]`},
		{"R13", "return [TypeError, RangeError, ReferenceError, SyntaxError, URIError].map((E) => new E('m').name).concat(new AggregateError([new Error('a')], 'all').errors.length)", `["TypeError","RangeError","ReferenceError","SyntaxError","URIError",1]`},
		{"R14", "return [parseInt('7'), parseFloat('1.5'), isNaN(NaN), isFinite(1), encodeURIComponent('a b'), decodeURIComponent('%20'), encodeURI('a b'), decodeURI('%20'), atob('YQ=='), btoa('a')]", `[7,1.5,true,true,"a%20b"," ","a%20b"," ","a","YQ=="]`},
		{"R15", "return [structuredClone({ a: [1] }), NaN, Infinity, undefined, new URL('http://a/b?c=d').pathname, new URLSearchParams('a=b').get('a')]", `[{"a":[1]},{"$number":"NaN"},{"$number":"Infinity"},{"$undefined":true},"/b","b"]`},
		{"R17", "const before = Date.now(); await rtcAgent.system.delay(20); return Date.now() - before >= 15", "true"},
		{"R17", "return [0, 60000].map((n) => typeof rtcAgent.system.delay(n).then).concat([-1, 60001, 'x', NaN].map((n) => { try { rtcAgent.system.delay(n); return 'ok' } catch (e) { return e.name } }))", `["function","function","RangeError","RangeError","RangeError","RangeError"]`},
		{"R18", "const v4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/; const many = rtcAgent.system.uuid(100); return [v4.test(rtcAgent.system.uuid()), many.every((u) => v4.test(u)), new Set(many).size].concat([0, 101, 'x'].map((n) => { try { rtcAgent.system.uuid(n); return 'ok' } catch (e) { return e.name } }))", `[true,true,100,"RangeError","RangeError","RangeError"]`},
		{"R19", "return Math.abs(rtcAgent.system.now() - Date.now()) < 1000", "true"},
		{"R20", "const { random } = rtcAgent.system; const n = Array.from({ length: 200 }, () => random({ min: 1, max: 3, integer: true })); return [n.every((x) => [1, 2, 3].includes(x)), new Set(n).size, random() < 1, random({ min: 5, max: 6 }) >= 5]", "[true,3,true,true]"},
		{"R21", "const { time, timezone } = rtcAgent.system; let bad; try { time('x') } catch (e) { bad = e.name } return [/^\\d{4}-.*Z$/.test(time()), time('iso').length, typeof time('locale'), typeof time('ts'), timezone(), bad]", `[true,24,"string","number","UTC","RangeError"]`},
		{"R22", "const index = await rtcAgent.readFile('/functions/INDEX.md'); return ['system.delay', 'system.uuid', 'system.now', 'system.random', 'system.time', 'system.timezone', 'crm.lookup', 'task.create'].filter((f) => !index.includes(f))", "[]"},
		{"R22", "return (await Promise.all(['delay', 'uuid', 'now', 'random', 'time', 'timezone'].map((f) => rtcAgent.readFile('functions/system/' + f + '.md')))).every((page) => page.startsWith('# system.'))", "true"},
		{"R22", "return [(await rtcAgent.readFile('/AGENT.md')).includes('rtcAgent.callFunction'), (await rtcAgent.readFile('/functions/task/create.md')).includes('title: string')]", "[true,true]"},
		{"R35", "const fetch = (x) => 'mine ' + x; const { document } = { document: 1 }; const f = (window) => window; class eval_ {} try { throw 2 } catch (self) { return [fetch(1), document, f(3), self, typeof eval_] }", `["mine 1",1,3,2,"function"]`},
		{"R36", "type W = Worker; const fn: Function = (x: Window) => x; let s: Storage | undefined; return [typeof fn, s === undefined]", `["function",true]`},
		{"R41", "function f() { return this } let assigned; try { undeclared_ = 1 } catch (e) { assigned = e.name } var undeclared_; return [this === undefined, f() === undefined]", "[true,true]"},
		{"R42", "return { a: undefined, b: new Date(0), c: new Map([['k', new Set([1n])]]), d: [null, -0], $e: 1 }", `{"a":{"$undefined":true},"b":{"$date":"1970-01-01T00:00:00.000Z"},"c":{"$map":[["k",{"$set":[{"$bigint":"1"}]}]]},"d":[null,0],"$$e":1}`},
		{"R43", "const later = async (n: number) => { await rtcAgent.system.delay(1); return n }; return (await Promise.all([1, 2, 3].map(later))).concat(await (async () => 4)())", "[1,2,3,4]"},
		{"R43", "const all = []; for await (const x of (async function* () { yield 1; yield 2 })()) all.push(x); return all", "[1,2]"},
	} {
		row(c.rows)
		res, err := r.Eval(t.Context(), script.Source{Code: c.code}, nil)
		if err != nil || res.Failed || string(res.Value) != c.want {
			t.Errorf("%s: %s = %+v %v, want %s", c.rows, c.code, res, err, c.want)
		}
	}

	// What is blocked, by category, with what is to be used instead.
	const none = "no replacement needed"
	for _, c := range []struct{ rows, names, category, instead string }{
		{"R23 R34", "localStorage sessionStorage indexedDB caches cookieStore", "storage", "rtcAgent.readFile and rtcAgent.writeFile"},
		{"R24 R34", "fetch XMLHttpRequest WebSocket EventSource BroadcastChannel", "network", "rtcAgent.callFunction"},
		{"R25 R34", "window self document navigator location history screen alert confirm prompt", "dom", "a granted function"},
		{"R26 R34", "eval Function globalThis global", "code", none},
		{"R27", "Worker SharedWorker ServiceWorker importScripts", "workers", none},
		{"R28 R34", "setTimeout setInterval", "timers", "rtcAgent.system.delay"},
		{"R29", "SharedArrayBuffer Atomics", "memory", none},
		{"R30", "require module exports __dirname __filename", "modules", none},
		{"R40", "queueMicrotask Reflect Proxy process Buffer crypto performance WebAssembly Intl setImmediate Request Response Headers", "unknown", "declare it"},
	} {
		row(c.rows)
		for name := range strings.FieldsSeq(c.names) {
			wantBlocked(t, r, c.rows, "return typeof 1 + "+name, name, c.category, c.instead)
		}
	}
	for _, c := range []struct{ rows, code, name, category, instead string }{
		{"R31", "return [].constructor", ".constructor", "internals", none},
		{"R31", "return ({}).__proto__", ".__proto__", "internals", none},
		{"R31", "return []['constructor']", "constructor", "internals", none},
		{"R31", "const k = 'con' + 'structor'; return [][k]", "constructor", "internals", none},
		{"R31", "const { constructor: c } = []; return c", "constructor", "internals", none},
		{"R32", "return await import('./a.js')", "import()", "modules", none},
		{"R32", "return import.meta", "import.meta", "modules", none},
		{"R33 R34", "while (true) {}", "while", "loops", "for…of"},
		{"R33 R34", "do {} while (true)", "do…while", "loops", "a for with a bound"},
		{"R33 R34", "for (;;) {}", "for", "loops", "the methods of arrays"},
	} {
		row(c.rows)
		wantBlocked(t, r, c.rows, c.code, c.name, c.category, c.instead)
	}
	// What cannot be seen in the source refuses when it runs.
	row("R26 R31")
	res, err := r.Eval(t.Context(), script.Source{Code: "const k = ['con', 'structor'].join(''); return (() => {})[k]('return 1')()"}, nil)
	if err != nil || !res.Failed || !strings.HasPrefix(res.Errors[0], "EvalError") {
		t.Errorf("R31 at run time: %+v %v", res, err)
	}

	// Actions and files.
	row("R5 R6 R7")
	if err := r.Save(t.Context(), script.Source{Name: "double", Description: "doubles: n", Code: "return params.n * 2"}); err != nil {
		t.Error("R5:", err)
	}
	file, _ := p.ReadFile(t.Context(), "scripts/double.md")
	for _, want := range []string{"---\nname: double\n", `description: "doubles: n"`, "createdAt: 20", "\n```ts\nreturn params.n * 2\n```\n"} {
		if !strings.Contains(string(file), want) {
			t.Errorf("R6: %q is not in %s", want, file)
		}
	}
	for name, want := range map[string]string{"double": "14", "joined": "2", "allcode": `"whole"`} {
		if res, err := r.Run(t.Context(), name, map[string]int{"n": 7}); err != nil || string(res.Value) != want {
			t.Errorf("R7: %s: %+v %v", name, res, err)
		}
	}
	if list, err := r.List(t.Context()); err != nil || len(list) != 3 || list[1].Name != "double" || list[1].Description != "doubles: n" || list[1].CreatedAt == "" {
		t.Errorf("R5: %+v %v", list, err)
	}
	if err := r.Delete(t.Context(), "double"); err != nil {
		t.Error("R5:", err)
	}
	if _, err := r.Run(t.Context(), "double", nil); err == nil {
		t.Error("R5: a script that was deleted runs")
	}

	// What is printed.
	row("R16 R42")
	_, before := buffer.Range()
	res, err = r.Eval(t.Context(), script.Source{Code: `for (let i = 0; i < 150; i++) { console.log("l", i); console.warn({ i }); console.error(new Error("e" + i)) } return "done"`}, nil)
	if err != nil || string(res.Value) != `"done"` || len(res.Logs) != 100 || len(res.Warnings) != 100 || len(res.Errors) != 100 || res.Warnings[3] != `{"i":3}` || res.Errors[99] != "Error: e99" || res.Duration <= 0 {
		t.Errorf("R16: %+v %v", res, err)
	}
	if _, after := buffer.Range(); after-before != 450 {
		t.Errorf("R16: the person saw %d entries", after-before)
	}
	for code, ok := range map[string]bool{"return 'x'.repeat(1048574)": true, "return 'x'.repeat(1048575)": false} {
		if res, err := r.Eval(t.Context(), script.Source{Code: code}, nil); err != nil || res.Failed == ok {
			t.Errorf("R42: a result of 1 MiB: %v, %v", ok, err)
		}
	}

	// Consent.
	row("R37")
	for mode, asks := range map[script.Mode]bool{script.Manual: true, script.Edit: true, script.Plan: true, script.Auto: true, script.Bypass: false} {
		asked := false
		m := script.New(e, p, &script.Options{Mode: mode, Confirm: func(context.Context, tool.Question) (tool.Answer, error) {
			asked = true
			return tool.Answer{}, nil
		}})
		_, err := m.Eval(t.Context(), script.Source{Code: "return 1"}, nil)
		var denied *host.Error
		if asked != asks || asks != (errors.As(err, &denied) && denied.Code == host.Denied) {
			t.Errorf("R37: mode %d asked: %v, %v", mode, asked, err)
		}
	}

	// Time.
	row("R38 R39")
	if script.Timeout != 30*time.Second {
		t.Error("R38: the default is", script.Timeout)
	}
	wrote := make(chan struct{}, 100)
	short := script.New(e, p, &script.Options{Mode: script.Bypass, Timeout: time.Second, Tools: tool.Everything(pings(wrote), nil)})
	res, err = short.Eval(t.Context(), script.Source{Code: "for (let i = 0; i < 60; i++) { await rtcAgent.net.ping(); await rtcAgent.system.delay(200) }"}, nil)
	if err != nil || res.Killed != "deadline" || !strings.Contains(res.Errors[0], "longer than 1s") {
		t.Errorf("R38: %+v %v", res, err)
	}
	n := len(wrote)
	time.Sleep(600 * time.Millisecond) // in which it would have called, had it gone on
	if len(wrote) != n {
		t.Error("R39: the script runs on")
	}

	for i := 1; i <= 43; i++ {
		if name := fmt.Sprintf("R%d", i); !tried[name] && !slices.Contains([]string{"R2", "R3", "R4"}, name) {
			t.Errorf("no case for %s", name)
		}
	}
}

// pings is a function that tells of its calls.
func pings(calls chan<- struct{}) *host.Capabilities {
	caps := host.New()
	host.Register(caps.Define("net", 1), "ping", "Pings.", func(context.Context, struct{}) (bool, error) {
		select {
		case calls <- struct{}{}:
		default:
		}
		return true, nil
	})
	return caps
}

// wantBlocked fails the test unless code is blocked for one use, in words that name category, place and alternative.
func wantBlocked(t *testing.T, r *script.Runner, row, code, name, category, instead string) {
	t.Helper()
	_, err := r.Eval(t.Context(), script.Source{Code: code}, nil)
	var blocked *script.BlockedError
	if !errors.As(err, &blocked) || len(blocked.Uses) == 0 {
		t.Errorf("%s: %s: %v", row, code, err)
		return
	}
	u := blocked.Uses[0]
	if !strings.Contains(u.Name, strings.Trim(name, ".")) || u.Category != category || u.Line != 1 || u.Column < 1 {
		t.Errorf("%s: %s: %+v", row, code, u)
	}
	for _, want := range []string{fmt.Sprintf("1:%d: ", u.Column), "(" + category + ")", instead} {
		if !strings.Contains(u.Text, want) || !strings.Contains(err.Error(), u.Text) {
			t.Errorf("%s: %s: %q does not say %q", row, code, u.Text, want)
		}
	}
}

// TestBudgets has scripts that would not end. Each is ended, with what it printed before and a reason.
func TestBudgets(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	runner := func(timeout time.Duration) *script.Runner {
		return script.New(e, p, &script.Options{Mode: script.Bypass, Timeout: timeout, Tools: tool.Everything(crm(), nil)})
	}
	r := runner(time.Second)
	for _, c := range []struct{ name, code, reason string }{
		{"a loop", "for (let i = 0; i >= 0; i++) {}", "deadline cpu"},
		{"an iterator", "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }) {}", "deadline cpu"},
		{"native code", "[].indexOf.call({ length: 2 ** 53 }, 1)", "deadline cpu"},
		{"a regular expression", `/^(a+)+\1$/.test("a".repeat(60) + "b")`, "deadline cpu"},
		{"promises", "const again = async () => { await null; return again() }; await again()", "deadline cpu memory"},
		{"a delay", "await rtcAgent.system.delay(60000)", "deadline"},
		{"memory", "const all = []; for (let i = 0; i >= 0; i++) all.push('x'.repeat(1000) + i)", "memory deadline cpu"},
		{"memory at once", "return new Array(1e9).fill('x').length", "memory deadline cpu crash"},
		{"a flood of lines", "for (let i = 0; i >= 0; i++) console.warn('x'.repeat(1000))", "output deadline"},
		{"a flood of calls", "for (let i = 0; i < 1e6; i++) await rtcAgent.crm.lookup({ id: 1 })", "calls deadline"},
		{"calls at once", "await Promise.all(Array.from({ length: 5000 }, () => rtcAgent.crm.lookup({ id: 1 })))", "calls deadline"},
	} {
		src := script.Source{Code: "console.log('before');\n" + c.code, Lang: "js"}
		res, err := r.Eval(t.Context(), src, nil)
		if err == nil && len(res.Logs) == 0 { // a busy machine may not have begun in that time
			res, err = runner(15*time.Second).Eval(t.Context(), src, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !res.Failed || !slices.Contains(strings.Fields(c.reason), res.Killed) || len(res.Logs) != 1 || res.Logs[0] != "before" || len(res.Errors) == 0 || res.Errors[0] == "" {
			t.Errorf("%s: %+v", c.name, res)
		}
		if _, err := json.Marshal(res); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// One that waits for what cannot come ends at once, and says so.
	res, err := r.Eval(t.Context(), script.Source{Code: "console.log('before'); await new Promise(() => {})"}, nil)
	if err != nil || !res.Failed || len(res.Logs) != 1 || !strings.Contains(res.Errors[0], "waits for a promise") {
		t.Errorf("%+v %v", res, err)
	}
	if res, err := r.Eval(t.Context(), script.Source{Code: "return 'still here'"}, nil); err != nil || string(res.Value) != `"still here"` {
		t.Errorf("after all that: %+v %v", res, err)
	}
}
