package script

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"samkit.dev/host"
)

// The manual is files that no one has written, so that an AI finds what it may call as it finds
// anything: AGENT.md, functions/INDEX.md and functions/<group>/<function>.md. They stand
// before files of the project with such names.

// Description is what a model is told of scripts where they are one tool with the actions save, run and eval: those of [Runner].
const Description = `Runs JavaScript or TypeScript on the files of the project. Actions: eval (code, params) runs a script once; save (name, description, code) keeps it as scripts/<name>.md; run (name, params) runs one that is kept.
A script is the body of an async function: return gives the result, await works everywhere. It has params, console, the objects of the language, and rtcAgent: readFile(path), writeFile(path, text), listDir(path), callFunction("group.function", args), group.function(args), system.delay(ms). Read /AGENT.md and /functions/INDEX.md with rtcAgent.readFile to learn what it may call.
It has no network, timers, DOM, storage, eval, imports or loops without a bound; what is blocked comes back with the place and what to use instead. The result is JSON with result, logs, warnings and errors; an exception has its line.`

// agentText is AGENT.md.
const agentText = `# Scripts

A script is the body of an async function, in TypeScript or JavaScript: ` + "`return`" + ` gives its result, ` + "`await`" + ` works everywhere.
It has ` + "`params`" + `, ` + "`console`" + `, the objects of the language and ` + "`rtcAgent`" + `:

- ` + "`await rtcAgent.readFile(path)`" + `, ` + "`await rtcAgent.writeFile(path, text)`" + `, ` + "`await rtcAgent.listDir(path)`" + `: files of the project, paths from its root, without ".."
- ` + "`await rtcAgent.callFunction(\"group.function\", args)`" + ` or ` + "`await rtcAgent.group.function(args)`" + `: see /functions/INDEX.md
- ` + "`rtcAgent.system`" + `: delay, uuid, now, random, time, timezone

There is no network, no timers, no DOM, no storage, no eval and no import. Loops have bounds: for…of, for with a condition, methods of arrays.
`

// system are the functions of rtcAgent.system, which runner.js has.
var system = []host.Func{
	{Name: "delay", Doc: "Waits: delay(ms), 0 to 60000."},
	{Name: "uuid", Doc: "Makes a UUID of version 4: uuid(); several in an array: uuid(count), 1 to 100."},
	{Name: "now", Doc: "The time in milliseconds since 1970: now()."},
	{Name: "random", Doc: "A random number: random({ min: 0, max: 1, integer: false }); of integers max is one of them."},
	{Name: "time", Doc: "The time: time(\"iso\"), time(\"locale\") or, in milliseconds, time(\"ts\")."},
	{Name: "timezone", Doc: "The time zone of dates: timezone(), \"UTC\"."},
}

// manual returns the file of a name, or "".
func (r *Runner) manual(name string) string {
	switch {
	case r.bare:
		return ""
	case name == "AGENT.md":
		return agentText
	case !strings.HasPrefix(name, "functions/"):
		return ""
	}
	var index strings.Builder
	index.WriteString("# Functions\n\n")
	for f := range r.offered() {
		doc := strings.Join(strings.Fields(f.Doc), " ")
		if name == pageOf(f) {
			if f.Capability == "system" {
				return fmt.Sprintf("# system.%s\n\n%s\n", f.Name, doc)
			}
			return host.Markdown(one{f})
		}
		fmt.Fprintf(&index, "- [%s.%s](/%s) %s\n", f.Capability, f.Name, pageOf(f), doc)
	}
	if name == "functions/INDEX.md" {
		return index.String()
	}
	return ""
}

// manualNames returns the names of all files of the manual.
func (r *Runner) manualNames() []string {
	if r.bare {
		return nil
	}
	names := []string{"AGENT.md", "functions/INDEX.md"}
	for f := range r.offered() {
		names = append(names, pageOf(f))
	}
	return names
}

// pageOf is the manual's file on a function. Of several versions of a group the first one offered has it.
func pageOf(f host.Func) string { return "functions/" + f.Capability + "/" + f.Name + ".md" }

// offered yields the functions that a script may call by rtcAgent.<group>.<function>().
func (r *Runner) offered() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for _, f := range system {
			f.Capability = "system"
			if !yield(f) {
				return
			}
		}
		for f := range r.opts.Tools.Funcs() {
			if f.Capability != "" && f.Capability != "system" && !yield(f) {
				return
			}
		}
	}
}

// one is a caller of one function, for its manual page.
type one struct{ f host.Func }

func (o one) Funcs() iter.Seq[host.Func] { return slices.Values([]host.Func{o.f}) }

func (o one) Call(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, &host.Error{Code: host.NotFound, Message: "This is a manual"}
}
