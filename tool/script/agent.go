package script

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// The functions that a person is asked about.
var (
	runs   = host.Func{Capability: "script", Version: 1, Name: "run", Doc: "Runs a script."}
	writes = host.Func{Capability: "script", Version: 1, Name: "writeFile", Doc: "A script writes a file of the project."}
)

// asks reports whether a mode asks before f.
func (m Mode) asks(f string) bool {
	if f == writes.Name {
		return m == Manual
	}
	return m != Bypass
}

// ask asks the person, if the mode wants it. Its error is a [*host.Error].
func (r *Runner) ask(ctx context.Context, f host.Func, args map[string]any) error {
	if !r.opts.Mode.asks(f.Name) || r.opts.Mode == Auto && r.permitted.Load() {
		return nil
	}
	if r.opts.Confirm == nil {
		return &host.Error{Code: host.Denied, Message: "script." + f.Name + " needs a person's consent, and nobody can be asked"}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tool.AnswerWithin)
	defer cancel()
	call, ok := host.CallFrom(ctx)
	if !ok {
		call = host.Call{Project: string(r.project.ID()), Role: host.Tool}
	}
	a, err := r.opts.Confirm(ctx, tool.Question{Func: f, Args: data, Call: call})
	if err != nil || !a.Allow {
		return &host.Error{Code: host.Denied, Message: "script." + f.Name + " was not permitted", Err: err}
	}
	r.permitted.Store(true)
	return nil
}

// agent is rtcAgent as far as it is no granted function.
type agent struct{ r *Runner }

var _ host.Caller = agent{}

// Funcs implements [host.Caller].
func (a agent) Funcs() iter.Seq[host.Func] {
	return slices.Values([]host.Func{{Name: "readFile", Reads: true}, {Name: "writeFile"}, {Name: "listDir", Reads: true}, {Name: "callFunction"}})
}

// Call implements [host.Caller].
func (a agent) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	c := &performing{r: a.r}
	began := time.Now()
	out, err := c.perform(ctx, name, args)
	var refused *host.Error
	if err != nil {
		refused = host.AsError(ctx, err)
	}
	if a.r.opts.Audit != nil && !c.told {
		who, _ := host.CallFrom(ctx)
		rec := host.Record{Call: who, Func: "script@1." + name[:min(len(name), maxNoted)], Time: began, Duration: time.Since(began), ArgsHash: host.HashArgs(args), On: c.on}
		if refused != nil {
			rec.Refused(refused)
		}
		a.r.opts.Audit(ctx, rec)
	}
	if refused != nil {
		return nil, refused
	}
	return out, nil
}

// maxNoted is how many bytes of a name stand in the audit.
const maxNoted = 1000

// A performing is one call of rtcAgent's.
type performing struct {
	r    *Runner
	on   string // what it is about, for the audit
	told bool   // somebody else has it in the audit
}

func (c *performing) perform(ctx context.Context, fn string, args json.RawMessage) (json.RawMessage, error) {
	r := c.r
	var in struct {
		Path, Text, Name string
		Args             json.RawMessage
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, &host.Error{Code: host.Invalid, Message: "The arguments of " + fn + " are no JSON of its form"}
	}
	file := in.Path
	if name, err := clean(file); err == nil && fn != "callFunction" && len(name) <= maxNoted {
		c.on = string(r.project.ID()) + "/" + name
	}
	switch fn {
	case "callFunction":
		c.told = r.opts.Tools != nil
		return r.opts.Tools.Call(ctx, in.Name, in.Args)
	case "readFile":
		if name, err := clean(file); err == nil {
			if page := r.manual(name); page != "" {
				return json.Marshal(page)
			}
		}
		file, err := r.file(file, tool.Read)
		if err != nil {
			return nil, err
		}
		data, err := r.project.ReadFile(ctx, file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &host.Error{Code: host.NotFound, Message: "There is no file " + file}
		case err != nil:
			return nil, err
		case !utf8.Valid(data):
			return nil, &host.Error{Code: host.Invalid, Message: file + " is no text"}
		}
		return json.Marshal(string(data))
	case "writeFile":
		var err error
		c.told, err = r.change(ctx, edit(file, in.Text))
		return nil, err
	case "listDir":
		return r.list(ctx, file)
	}
	return nil, &host.Error{Code: host.NotFound, Message: "There is no function " + fn}
}

func edit(file, text string) sam.Edit {
	return sam.Edit{Name: file, Data: []byte(text), IfHash: "*"}
}

// change makes a change of one file, if the grants, the mode and the person permit it. It reports whether Options.Apply
// was asked to.
func (r *Runner) change(ctx context.Context, e sam.Edit) (applied bool, err error) {
	file, err := r.file(e.Name, tool.ReadWrite)
	if err != nil {
		return false, err
	}
	e.Name = file
	if r.manual(file) != "" {
		return false, &host.Error{Code: host.Denied, Message: file + " is made when it is read, and cannot be written"}
	}
	if r.opts.Mode == Plan {
		return false, &host.Error{Code: host.Denied, Message: "In plan mode nothing is written"}
	}
	question := map[string]any{"path": file, "text": string(e.Data)}
	if e.Remove {
		question = map[string]any{"path": file, "remove": true}
	}
	if err := r.ask(ctx, writes, question); err != nil {
		return false, err
	}
	if r.opts.Apply != nil {
		return true, r.opts.Apply(ctx, e)
	}
	return false, r.project.Apply(ctx, e)
}

// list returns the names in a folder; those of folders end in a slash.
func (r *Runner) list(ctx context.Context, folder string) (json.RawMessage, error) {
	prefix, err := clean(folder)
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		prefix += "/"
	}
	names := []string{}
	add := func(name string) {
		rest, inside := strings.CutPrefix(name, prefix)
		if !inside {
			return
		}
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[:i+1]
		}
		if i, known := slices.BinarySearch(names, rest); !known {
			names = slices.Insert(names, i, rest)
		}
	}
	for f, err := range r.project.Files(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		if r.permits(f.Name, tool.Read) {
			add(f.Name)
		}
	}
	for _, name := range r.manualNames() {
		add(name)
	}
	return json.Marshal(names)
}

// file returns the name of the project's file at a path, if mode is permitted there.
func (r *Runner) file(p string, mode tool.Mode) (string, error) {
	name, err := clean(p)
	if err != nil {
		return "", err
	}
	if name == "" {
		return "", &host.Error{Code: host.Invalid, Message: "The path names no file"}
	}
	if !r.permits(name, mode) {
		return "", &host.Error{Code: host.Denied, Message: "The script's grants do not cover " + name}
	}
	return name, nil
}

// clean takes the slashes off the ends of a path. What would have to be resolved is refused.
func clean(p string) (string, error) {
	name := strings.Trim(p, "/")
	if name != "" && path.Clean(name) != name || slices.Contains(strings.Split(name, "/"), "..") || name == "." {
		return "", &host.Error{Code: host.Invalid, Message: "The path " + p + " is not in its plain form"}
	}
	return name, nil
}

// permits reports whether the grants permit a file. Where none is about files, all may be used.
func (r *Runner) permits(name string, mode tool.Mode) bool {
	s := r.opts.Tools
	if s == nil {
		return true
	}
	select {
	case <-s.Done():
		return false
	default:
	}
	limited := false
	for _, g := range s.Grants() {
		for _, pattern := range g.Paths {
			limited = true
			if ok, err := tool.MatchPath(pattern, name); err == nil && ok && g.Project == r.project.ID() && g.Mode >= mode {
				return true
			}
		}
	}
	return !limited
}
