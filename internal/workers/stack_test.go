package workers

import (
	"strings"
	"sync"
	"testing"

	"samkit.dev/host/console"
)

// stackFiles is a project whose handler answers what a function of the table gives.
func stackFiles(code string) map[string]string {
	return map[string]string{
		"functions.ts": `import { deep, later, Custom } from './lib/deep'
import { thrower } from 'pkg'
interface Nothing { a: number }
const cases: Record<string, () => unknown> = { run: async () => {
` + code + `
} }
export default { async fetch() { return new Response(String(await cases.run())) } }
`,
		"lib/deep.ts": `type T = number

export function deep(n: T): never {
  throw new RangeError(
    'deep ' + n)
}
export const later = async (n: T): Promise<T> => {
  await null
  return deep(n)
}
export class Custom extends Error {
  declare code: string
  constructor(m: string) { super(m); this.name = "Custom" }
}
`,
		"node_modules/pkg/index.js":     "\n\nexport function thrower() {\n  null.x\n}\n",
		"node_modules/pkg/package.json": `{"name":"pkg","exports":"./index.js"}`,
	}
}

// TestErrorStack reads stacks in code. Line 5 of functions.ts is the code's first.
func TestErrorStack(t *testing.T) {
	for _, tt := range []struct{ name, code, want string }{
		{"first line and form", "const e = new Error('a\\nb'); return e.stack", "Error: a\nb\n    at run (functions.ts:5:11)"},
		{"called", "try { deep(1) } catch (e) { return e.stack.split('\\n').slice(0, 3).join() }", "RangeError: deep 1,    at deep (lib/deep.ts:4:9),    at run (functions.ts:5:7)"},
		{"async", "try { await later(2) } catch (e) { return e['stack'] }", "    at deep (lib/deep.ts:4:9)\n    at later (lib/deep.ts:9:10)"},
		{"package", "try { thrower() } catch (e) { return e?.stack?.toString() }", "    at thrower (node_modules/pkg/index.js:4:"},
		{"destructured", "try { deep(3) } catch (e) { const { stack, message } = e; return message + stack }", "deep 3RangeError: deep 3\n    at deep (lib/deep.ts:4:9)"},
		{"class", "return new Custom('c').stack", "Custom: c\n    at "},
		{"timer", "return await new Promise(r => setTimeout(() => { try { deep(4) } catch (e) { r(e.stack) } }, 1))", "at deep (lib/deep.ts:4:9)"},
		{"stream", "const s = new ReadableStream({ pull(c) { deep(5) } }); try { await s.getReader().read() } catch (e) { return e.stack }", "    at pull (functions.ts:5:42)"},
		{"queueMicrotask", "return await new Promise(r => queueMicrotask(() => r(new Error('m').stack)))", "    at functions.ts:5:54"},
		{"captureStackTrace", "const o: any = {}; Error.captureStackTrace(o); return o.stack", "    at run (functions.ts:5:26)"},
		{"captureStackTrace above", "function make() { const o: any = { name: 'N' }; Error.captureStackTrace(o, make); return o }\nreturn make().stack", "N\n    at run (functions.ts:6:8)"},
		{"prepareStackTrace", `const old = Error.prepareStackTrace
Error.prepareStackTrace = (e, sites) => sites.map(s => s.getFunctionName() + "|" + s.getFileName() + "|" + s.getLineNumber() + "|" + s.getColumnNumber() + "|" + s)
const sites = new Error('x').stack
Error.prepareStackTrace = old
return sites[0]`, "run|functions.ts|7|15|run (functions.ts:7:15)"},
		{"assigned", "const e = new Error('x'); e.stack = 'mine'; return e.stack", "mine"},
		{"appended", "const e = new Error('x'); const first = e.stack; e.stack += ' more'; return e.stack === first", "false"},
		{"not of an error", "class P { stack: number[] = []; push(n) { this.stack.push(n); return this.stack.length + this.stack[0] } }; return new P().push(4)", "5"},
		{"missing", "try { (null as any).stack } catch (e) { return e.message }", "Cannot read property 'stack' of null"},
		{"primitive", "return (5 as any).stack", "undefined"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := stackFiles(tt.code)
			files["functions.js"] = "export { default } from './functions.ts'"
			a := bundled(t, files)
			eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
				_, got := get(t, p, a, "/")
				if strings.Contains(got, chunkName) || strings.Contains(got, "samkit:") || !strings.Contains(got, tt.want) {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// TestPlacesOfEntries looks at the places in failures and console entries.
func TestPlacesOfEntries(t *testing.T) {
	for _, tt := range []struct{ name, code, failure, entry, source string }{
		{"thrown", "deep(1)", "    at deep (lib/deep.ts:4:9)\n    at run (functions.ts:5:1)", "", ""},
		{"thrown after an await", "await later(1)", "    at deep (lib/deep.ts:4:9)\n    at later (lib/deep.ts:9:10)", "", ""},
		{"thrown after its stack was read", "const e = new Error('a\\nb'); e.stack; throw e", "    at run (functions.ts:5:11)", "", ""},
		{"log", "\nconsole.log('x')", "", "x", "functions.ts:6:9"},
		{"warning in a timer", "await new Promise(r => setTimeout(() => { console.warn('w'); r(1) }, 1))", "", "w", "functions.ts:5:51"},
		{"an error printed", "console.error(new Custom('c'))", "", "Custom: c\n    at ", "functions.ts:5:9"},
		{"uncaught in a timer", "setTimeout(() => deep(2), 1); await new Promise(r => setTimeout(r, 20))", "", "Uncaught RangeError: deep 2", "lib/deep.ts:4:9"},
		{"uncaught in a promise", "later(3); await new Promise(r => setTimeout(r, 20))", "", "Uncaught (in promise) RangeError: deep 3", "lib/deep.ts:4:9"},
		{"in a package", "thrower()", "    at thrower (node_modules/pkg/index.js:4:", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := stackFiles(tt.code)
			files["functions.js"] = "export { default } from './functions.ts'"
			eachLevel(t, Options{}, func(t *testing.T, p *Pool) {
				a := bundled(t, files)
				var mu sync.Mutex
				var entries []console.Entry
				a.Console = func(e console.Entry) { mu.Lock(); defer mu.Unlock(); entries = append(entries, e) }
				if tt.failure != "" {
					if e := failure_(t, p, a, "/"); !strings.HasPrefix(e.Stack, tt.failure) {
						t.Errorf("failed with\n%s\nwant\n%s", e.Stack, tt.failure)
					}
					return
				}
				get(t, p, a, "/")
				mu.Lock()
				defer mu.Unlock()
				if len(entries) != 1 || !strings.HasPrefix(entries[0].Text, tt.entry) || entries[0].Source != tt.source || strings.Contains(entries[0].Text+entries[0].Stack, chunkName) {
					t.Errorf("entries %+v\nwant %q at %s", entries, tt.entry, tt.source)
				}
			})
		})
	}
}
