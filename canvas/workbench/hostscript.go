package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"sync"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
)

// defineScript registers env.HOST.script.
func defineScript(b *Bench, c *host.Capability) {
	if b.opts.Scripts == nil {
		return
	}
	host.Register(c, "eval", "Runs a script once: JavaScript or TypeScript that computes, reads and writes the project's files and calls functions by rtcAgent; /AGENT.md, which it reads, says how.", evalScript)
	host.Register(c, "run", "Runs a script that is saved, with params.", runScript)
	host.Register(c, "save", "Checks a script and saves it as scripts/<name>.md. One that uses what scripts may not is refused, with each place and what to use instead.", saveScript)
	host.Register(c, "list", "Lists the scripts that are saved.", listScripts, host.Reads)
	host.Register(c, "read", "Returns the code of a script that is saved.", readScript, host.Reads)
	host.Register(c, "delete", "Deletes a script that is saved.", deleteScript)
}

// SetScriptMode says when a person is asked about an agent's scripts, from their next run on. Without
// Options.Scripts it does nothing.
func (b *Bench) SetScriptMode(m script.Mode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.scripts != nil {
		o := *b.scripts
		o.Mode = m
		b.scripts = &o
	}
}

// ScriptMode returns when a person is asked about an agent's scripts.
func (b *Bench) ScriptMode() script.Mode {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.scripts == nil {
		return script.Manual
	}
	return b.scripts.Mode
}

// runners are what runs scripts: one for the current agent and each project, so that what a person has agreed to
// in the mode Auto holds for the session.
type runners struct {
	mu   sync.Mutex // guards the rest
	of   *session
	by   map[sam.ProjectID]*script.Runner
	opts *script.Options // they were made with
}

// runner returns what runs the scripts of a session on a project.
func (b *Bench) runner(s *session, p *sam.Project) *script.Runner {
	b.mu.Lock()
	opts := b.scripts
	b.mu.Unlock()
	x := &b.runners
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of != s || x.opts != opts {
		x.of, x.opts, x.by = s, opts, map[sam.ProjectID]*script.Runner{}
	}
	if r := x.by[p.ID()]; r != nil {
		return r
	}
	o := *opts
	o.Tools, o.Confirm, o.Console = tool.Everything(scriptDoor{s}, &tool.Options{Audit: s.scriptAsked}), b.opts.Confirm, nil
	o.Audit = s.ended
	o.Apply = func(ctx context.Context, e sam.Edit) error { return s.applyScript(ctx, p.ID(), e) }
	r := script.New(b.eng, p, &o)
	x.by[p.ID()] = r
	return r
}

// scriptAsked is told of what scripts call. What there is the session has in the audit itself; the rest comes no further.
func (s *session) scriptAsked(ctx context.Context, r host.Record) {
	if strings.HasPrefix(r.Func, `"`) { // as asked for: there is no such function
		s.ended(ctx, r)
	}
}

// applyScript makes a change for a script, as the agent would make it: with its rights, and in the audit.
func (s *session) applyScript(ctx context.Context, p sam.ProjectID, e sam.Edit) error {
	name, args := "files@1.write", map[string]any{"project": p, "path": e.Name, "content": string(e.Data)}
	if e.Remove {
		name, args = "files@1.remove", map[string]any{"project": p, "path": e.Name}
	}
	_, err := s.Call(ctx, name, asJSON(args))
	return err
}

// scriptDoor is what scripts call of an agent's functions: all but those that run scripts, with the agent's
// rights and each call in the audit.
type scriptDoor struct{ s *session }

func (d scriptDoor) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for f := range d.s.Funcs() {
			if f.Capability != "script" && !yield(f) {
				return
			}
		}
	}
}

func (d scriptDoor) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	return d.s.Call(ctx, name, args)
}

// onScripts returns what runs scripts on the project that a call names.
func onScripts(ctx context.Context, id sam.ProjectID) (*script.Runner, error) {
	s, p, err := onProject(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.role != host.Agent {
		return nil, &host.Error{Code: host.Denied, Message: "A tool runs no scripts."}
	}
	return s.b.runner(s, p), nil
}

type evalScriptIn struct {
	Project sam.ProjectID   `json:"project,omitempty"`
	Code    string          `json:"code" jsonschema:"the body of an async function; return gives its result"`
	Lang    string          `json:"lang,omitempty" jsonschema:"js or ts; ts if left out"`
	Params  json.RawMessage `json:"params,omitempty" jsonschema:"any JSON, which the code sees as params"`
}

type runScriptIn struct {
	Project sam.ProjectID   `json:"project,omitempty"`
	Name    string          `json:"name"`
	Params  json.RawMessage `json:"params,omitempty" jsonschema:"any JSON"`
}

type scriptOut struct {
	Result   json.RawMessage `json:"result,omitempty" jsonschema:"what was returned; {\"$undefined\":true} for undefined"`
	Logs     []string        `json:"logs,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Errors   []string        `json:"errors,omitempty" jsonschema:"the last one is the exception, if it failed"`
	MS       int64           `json:"duration_ms"`
	Failed   bool            `json:"failed,omitempty"`
	Killed   string          `json:"killed,omitempty" jsonschema:"the budget that it was ended for"`
	Line     int             `json:"line,omitempty" jsonschema:"where it threw"`
	Column   int             `json:"column,omitempty"`
	Stack    string          `json:"stack,omitempty"`
}

func scriptResult(res *script.Result, err error) (scriptOut, error) {
	if err != nil {
		return scriptOut{}, scriptError(err)
	}
	return scriptOut{res.Value, res.Logs, res.Warnings, res.Errors, res.Duration.Milliseconds(), res.Failed, res.Killed, res.Line, res.Column, res.Stack}, nil
}

// scriptError is an error of package script for code.
func scriptError(err error) error {
	var blocked *script.BlockedError
	if errors.As(err, &blocked) {
		return &host.Error{Code: host.Invalid, Message: blocked.Error(), Hint: "Replace each of them and try again.", Details: asJSON(blocked), Err: err}
	}
	return toHost(err)
}

func evalScript(ctx context.Context, in evalScriptIn) (scriptOut, error) {
	r, err := onScripts(ctx, in.Project)
	if err != nil {
		return scriptOut{}, err
	}
	return scriptResult(r.Eval(ctx, script.Source{Code: in.Code, Lang: in.Lang}, params(in.Params)))
}

func runScript(ctx context.Context, in runScriptIn) (scriptOut, error) {
	r, err := onScripts(ctx, in.Project)
	if err != nil {
		return scriptOut{}, err
	}
	return scriptResult(r.Run(ctx, in.Name, params(in.Params)))
}

// params is what was left out as null.
func params(p json.RawMessage) json.RawMessage {
	if len(p) == 0 {
		return json.RawMessage("null")
	}
	return p
}

type saveScriptIn struct {
	Project     sam.ProjectID `json:"project,omitempty"`
	Name        string        `json:"name" jsonschema:"lower-case letters, digits, - and _"`
	Description string        `json:"description,omitempty"`
	Lang        string        `json:"lang,omitempty" jsonschema:"js or ts; ts if left out"`
	Code        string        `json:"code"`
}

func saveScript(ctx context.Context, in saveScriptIn) (nothing, error) {
	r, err := onScripts(ctx, in.Project)
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, scriptError(r.Save(ctx, script.Source{Name: in.Name, Description: in.Description, Lang: in.Lang, Code: in.Code}))
}

type scriptsIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
}

type listScriptsOut struct {
	Scripts []script.Saved `json:"scripts"`
}

func listScripts(ctx context.Context, in scriptsIn) (listScriptsOut, error) {
	r, err := onScripts(ctx, in.Project)
	if err != nil {
		return listScriptsOut{}, err
	}
	list, err := r.List(ctx)
	return listScriptsOut{list}, scriptError(err)
}

type namedScriptIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Name    string        `json:"name"`
}

type readScriptOut struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Lang        string `json:"lang,omitempty"`
	Code        string `json:"code"`
}

func readScript(ctx context.Context, in namedScriptIn) (readScriptOut, error) {
	r, err := onScripts(ctx, in.Project)
	if err != nil {
		return readScriptOut{}, err
	}
	src, err := r.Load(ctx, in.Name)
	return readScriptOut{src.Name, src.Description, src.Lang, src.Code}, scriptError(err)
}

func deleteScript(ctx context.Context, in namedScriptIn) (nothing, error) {
	r, err := onScripts(ctx, in.Project)
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, scriptError(r.Delete(ctx, in.Name))
}
