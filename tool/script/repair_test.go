package script_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"samkit.dev/host"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// TestRepair has an agent without wits of its own: of a script that is blocked it reads each use's place and
// alternative, does what they say, and tries again. It stands for a model; that it gets by shows that the texts suffice.
func TestRepair(t *testing.T) {
	e, p := newEngine(t), newProject(t)
	caps := host.New()
	host.Register(caps.Define("net", 1), "get", "Fetches.", func(_ context.Context, in struct {
		URL string `json:"url"`
	}) (string, error) {
		return "page of " + in.URL, nil
	})
	host.Register(caps.Define("page", 1), "show", "Shows a text to the person.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return "shown: " + in.Text, nil
	})
	r := script.New(e, p, &script.Options{Tools: tool.Everything(caps, nil), Mode: script.Bypass})
	repaired, total := 0, 0
	categories := map[string]int{}
	for _, c := range blockedScripts() {
		total++
		_, err := r.Eval(t.Context(), script.Source{Code: c.code}, nil)
		var blocked *script.BlockedError
		if !errors.As(err, &blocked) {
			t.Errorf("%s is not blocked: %v", c.code, err)
			continue
		}
		categories[blocked.Uses[0].Category]++
		code := c.code
		for turn := range 3 {
			code = repair(code, blocked.Uses)
			res, err := r.Eval(t.Context(), script.Source{Code: code}, nil)
			if errors.As(err, &blocked) {
				if turn == 2 {
					t.Logf("%s\nis still\n%s\n%v", c.code, code, err)
				}
				continue
			}
			if err == nil && !res.Failed && string(res.Value) == c.want {
				repaired++
			} else {
				t.Logf("%s\nbecame\n%s\nand gave %+v %v, want %s", c.code, code, res, err, c.want)
			}
			break
		}
	}
	t.Logf("%d of %d repaired, %v", repaired, total, categories)
	if total != 100 || len(categories) != 5 || repaired < 95 {
		t.Errorf("%d of %d repaired, %v", repaired, total, categories)
	}
}

// repair follows the alternatives, the last use first, so that places stay right. What it does for a use it does only if the text
// of its alternative says so.
func repair(code string, uses []script.Use) string {
	lines := strings.Split(code, "\n")
	slices.SortFunc(uses, func(a, b script.Use) int { return b.Line*10_000 + b.Column - a.Line*10_000 - a.Column })
	for _, u := range uses {
		if u.Line > len(lines) || u.Column > len(lines[u.Line-1])+1 {
			continue
		}
		line := lines[u.Line-1]
		before, after := line[:u.Column-1], line[u.Column-1:]
		for _, f := range fixes {
			if !strings.Contains(u.Instead, f.says) {
				continue
			}
			if at := f.find.FindStringIndex(after); at != nil && at[0] == 0 {
				after = f.find.ReplaceAllString(after[:at[1]], f.put) + after[at[1]:]
				break
			}
		}
		lines[u.Line-1] = before + after
	}
	return strings.Join(lines, "\n")
}

// fixes are what an agent can make of an alternative.
var fixes = []struct {
	says string
	find *regexp.Regexp
	put  string
}{
	{"rtcAgent.readFile", regexp.MustCompile(`^(?:localStorage|sessionStorage)\.getItem\(([^()]*)\)`), "(await rtcAgent.readFile('data/' + $1))"},
	{"rtcAgent.writeFile", regexp.MustCompile(`^(?:localStorage|sessionStorage)\.setItem\(([^(),]*), (.*)\);`), "await rtcAgent.writeFile('data/' + $1, $2);"},
	{"rtcAgent.writeFile", regexp.MustCompile(`^(?:localStorage|sessionStorage)\.(\w+) = ([^;]*);`), "await rtcAgent.writeFile('data/$1', $2);"},
	{"rtcAgent.callFunction", regexp.MustCompile(`^fetch\(([^()]*)\)`), "rtcAgent.callFunction('net.get', { url: $1 })"},
	{"rtcAgent.<group>.<function>()", regexp.MustCompile(`^(?:alert|confirm|prompt)\(([^()]*)\)`), "await rtcAgent.page.show({ text: $1 })"},
	{"rtcAgent.<group>.<function>()", regexp.MustCompile(`^document\.\w+ = ([^;]*);`), "const shown = await rtcAgent.page.show({ text: $1 });"},
	{"rtcAgent.<group>.<function>()", regexp.MustCompile(`^window\.alert\(([^()]*)\)`), "await rtcAgent.page.show({ text: $1 })"},
	{"rtcAgent.system.delay", regexp.MustCompile(`^setTimeout\((\w+), (\d+)\)`), "rtcAgent.system.delay($2).then($1)"},
	{"rtcAgent.system.delay", regexp.MustCompile(`^setInterval\((\w+), (\d+)\)`), "await rtcAgent.system.delay($2).then($1)"},
	{"a for with a bound", regexp.MustCompile(`^while \((.*?)\) \{`), "for (let turn = 0; turn < 1e6 && ($1); turn++) {"},
	{"a for with a bound", regexp.MustCompile(`^for \(;;\) \{`), "for (let turn = 0; turn < 1e6; turn++) {"},
	{"a for with a bound", regexp.MustCompile(`^do \{(.*)\} while \((.*)\);`), "for (let turn = 0, more = true; turn < 1e6 && more; turn++) {$1 more = $2; }"},
}

type blockedScript struct{ code, want string }

// blockedScripts are twenty scripts in each of five categories.
func blockedScripts() (list []blockedScript) {
	for i := range 5 {
		add := func(code, want string) { list = append(list, blockedScript{code, want}) }
		n := fmt.Sprint(i)
		// storage
		add("localStorage.setItem('key"+n+"', 'value "+n+"');\nreturn localStorage.getItem('key"+n+"');", `"value `+n+`"`)
		add("const key: string = 'k"+n+"';\nsessionStorage.setItem(key, JSON.stringify([1, 2]));\nconst back: number[] = JSON.parse(sessionStorage.getItem(key));\nreturn back.length;", "2")
		add("localStorage.theme"+n+" = 'dark';\nreturn await rtcAgent.readFile('data/theme"+n+"');", `"dark"`)
		add("async function remember(name: string, text: string) {\n  localStorage.setItem(name, text);\n}\nawait remember('n"+n+"', 'ü');\nreturn localStorage.getItem('n"+n+"');", `"ü"`)
		// network
		add("return await fetch('https://example.com/"+n+"');", `"page of https://example.com/`+n+`"`)
		add("const url = `https://example.com/"+n+"`;\nconst page = await fetch(url);\nreturn page.length;", "29")
		add("const all = await Promise.all(['a', 'b'].map((x) => fetch(x)));\nreturn all.join(' "+n+" ');", `"page of a `+n+` page of b"`)
		add("async function load(id: number): Promise<string> {\n  return (await fetch(`/api/${id}`)) as string;\n}\nreturn await load("+n+");", `"page of /api/`+n+`"`)
		// the DOM
		add("return alert('hello "+n+"');", `"shown: hello `+n+`"`)
		add("document.title = 'Title "+n+"';\nreturn shown;", `"shown: Title `+n+`"`)
		add("const text: string = 'sure "+n+"';\nif (confirm(text)) return 'yes';\nreturn 'no';", `"yes"`)
		add("return [window.alert('w"+n+"'), 1];", `["shown: w`+n+`",1]`)
		// timers
		add("const later = () => 'done "+n+"';\nreturn await setTimeout(later, 5);", `"done `+n+`"`)
		add("let ran = "+n+";\nconst tick = () => { ran++ };\nsetInterval(tick, 1);\nreturn ran;", fmt.Sprint(i+1))
		add("const order: string[] = [];\nconst first = () => order.push('timer');\nawait setTimeout(first, 1);\norder.push('"+n+"');\nreturn order.join();", `"timer,`+n+`"`)
		add("const f = async () => "+n+";\nconst values = await Promise.all([setTimeout(f, 1), setTimeout(f, 2)]);\nreturn values;", "["+n+","+n+"]")
		// loops
		add("let n = "+n+";\nwhile (n < 10) {\n  n++;\n}\nreturn n;", "10")
		add("let n = "+n+";\nfor (;;) {\n  if (n >= 7) break;\n  n++;\n}\nreturn n;", "7")
		add("let n = "+n+";\ndo { n += 2; } while (n < 9);\nreturn n >= 9;", "true")
		add("const queue = [1, 2, "+n+"];\nlet sum = 0;\nwhile (queue.length > 0) {\n  sum += queue.pop();\n}\nreturn sum;", fmt.Sprint(3+i))
	}
	return list
}
