package hostile

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed cases
var files embed.FS

// A Level is a column of the corpus.
type Level string

// The levels of isolation.
const (
	Sandboxed Level = "sandboxed"
	Process   Level = "process"
	InProcess Level = "inprocess"
)

// Levels are all of them, the strongest first.
var levels = [...]Level{Sandboxed, Process, InProcess}

// A Case is one hostile function.
type Case struct {
	Group  string // the file it is in
	Number string // such as "14", or "14b" for another form of the same
	Name   string
	Code   string // a CommonJS module
	Body   int    // bytes of the request body
	Final  bool   // the project answers no more requests
	Slow   bool   // the client reads slowly
	Cron   bool   // it is a cron trigger, not a request
	Late   string // why it may end late in process
	source string // as it stands in the file
	uses   string // what a bundle would ask the runtime for
	wants  map[Level]Want
}

// Wants returns what is promised at a level.
func (c *Case) Wants(l Level) Want { return c.wants[l] }

// A Want is what is promised of a case at a level.
type Want struct {
	Promised bool
	Why      string   // it is not
	Codes    []string // any of these; "ok" is a response
	Status   int      // of the response, if it is one
	Text     string   // of the response; "" means any
}

// exhaustion are the codes of what runs out; which does first depends on the machine.
var exhaustion = map[string]bool{"limit_cpu": true, "limit_memory": true, "limit_wall": true}

// exhausting reports whether a case is one that time or memory ends. In process a guard
// may be earlier.
func (c *Case) exhausting(l Level) bool {
	list := c.wants[l].Codes
	if l == InProcess {
		list = append(slices.Clip(list), c.wants[Process].Codes...)
	}
	return slices.ContainsFunc(list, func(code string) bool { return exhaustion[code] })
}

func (w Want) String() string {
	switch {
	case !w.Promised:
		return "not promised: " + w.Why
	case w.Text != "":
		return "ok: " + w.Text
	case w.Status != 200:
		return "status " + strconv.Itoa(w.Status)
	}
	return strings.Join(w.Codes, " | ")
}

// Cases returns the corpus.
func Cases() ([]Case, error) {
	names, err := fs.Glob(files, "cases/*.txt")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, err := parse(strings.TrimSuffix(path.Base(name), ".txt"), string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// parse reads a file of cases.
func parse(group, text string) ([]Case, error) {
	var list []Case
	parts := strings.Split("\n"+text, "\n=== ")
	for _, part := range parts[1:] {
		c := Case{Group: group, wants: map[Level]Want{}}
		head, code, ok := strings.Cut(part, "\n\n")
		title, fields, _ := strings.Cut(head, "\n")
		c.Number, c.Name, _ = strings.Cut(title, " ")
		if !ok || c.Name == "" {
			return nil, fmt.Errorf("case %q has no name or no code", title)
		}
		for line := range strings.Lines(fields) {
			key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
			if err := c.set(key, value); err != nil {
				return nil, fmt.Errorf("case %s: %w", c.Number, err)
			}
		}
		for _, l := range levels {
			if _, ok := c.wants[l]; !ok {
				return nil, fmt.Errorf("case %s says nothing about level %s", c.Number, l)
			}
		}
		c.source, c.Code = code, module(code)
		if c.uses != "" {
			c.Code = fmt.Sprintf("globalThis.__samkit_complete(%q);", c.uses) + c.Code
		}
		list = append(list, c)
	}
	return list, nil
}

func (c *Case) set(key, value string) (err error) {
	switch key {
	case "all":
		for _, l := range levels {
			if _, ok := c.wants[l]; !ok && err == nil {
				c.wants[l], err = parseWant(value)
			}
		}
	case string(Sandboxed), string(Process), string(InProcess):
		c.wants[Level(key)], err = parseWant(value)
	case "body":
		c.Body, err = strconv.Atoi(value)
	case "next":
		c.Final = value == "no"
	case "drain":
		c.Slow = value == "slow"
	case "event":
		c.Cron = value == "scheduled"
	case "late":
		c.Late = value
	case "uses":
		c.uses = value
	default:
		err = fmt.Errorf("unknown field %q", key)
	}
	return err
}

func parseWant(s string) (Want, error) {
	w := Want{Promised: true, Status: 200}
	if why, ok := strings.CutPrefix(s, "not promised: "); ok {
		return Want{Why: why}, nil
	}
	if text, ok := strings.CutPrefix(s, "ok: "); ok {
		w.Codes, w.Text = []string{"ok"}, text
		return w, nil
	}
	if status, ok := strings.CutPrefix(s, "status "); ok {
		var err error
		w.Codes = []string{"ok"}
		w.Status, err = strconv.Atoi(status)
		return w, err
	}
	for code := range strings.SplitSeq(s, "|") {
		if code = strings.TrimSpace(code); code == "" {
			return w, fmt.Errorf("an empty code in %q", s)
		}
		w.Codes = append(w.Codes, code)
	}
	return w, nil
}

// ES returns the case as a functions.js, or "" if it is not one: for cron triggers and for scripts that are no
// modules. It answers HEAD requests as long as the project is well.
func (c *Case) ES() string {
	switch {
	case c.Cron || strings.HasPrefix(c.source, "return {") || strings.Contains(c.source, "return P."):
		return ""
	case strings.HasPrefix(c.source, awaiting):
		code, _, _ := strings.Cut(strings.TrimPrefix(c.source, awaiting), "exports.default = {}")
		return code + "\nexport default {}"
	case strings.Contains(c.source, "exports.default"):
		return strings.Replace(c.source, "exports.default =", "export default", 1)
	}
	return strings.Replace(module(c.source), "exports.default =", "\nexport default", 1)
}

// awaiting is how a script begins that awaits while it loads: in a module it does so at the top level.
const awaiting = "return (async () => {"

// Harm reports what a response with a status and a text, which the case's own code gave, says against the
// host: that it found something which it must not find. Bindings are what the host made them.
func (c *Case) Harm(status int, text string) string {
	w := c.wants[Sandboxed]
	switch {
	case strings.Contains(c.source, "env."):
		return ""
	case !slices.Contains(w.Codes, "ok"):
		if len(w.Codes) == 1 && w.Codes[0] == "exception" {
			return fmt.Sprintf("it was answered, with %.100q, and should have failed", text)
		}
	case w.Text != "" && text != w.Text:
		return fmt.Sprintf("it answered %.100q, want %q", text, w.Text)
	case status != w.Status && !slices.Contains(w.Codes, "exception"):
		return fmt.Sprintf("it answered %.100q with status %d, want %d", text, status, w.Status)
	}
	return ""
}

// module makes a module of a handler's body. A HEAD request asks whether the
// project is well.
func module(code string) string {
	if strings.Contains(code, "exports.default") {
		return code
	}
	return `const Well = Response; exports.default = { async fetch(request, env, ctx) {
if (request.method === "HEAD") return new Well("ok")
;` + code + `
return new Response("ok") } }`
}
