package taskjs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/tool/task"
)

// hands are a stage's context: what it calls of task.Work.
type hands struct {
	work *task.Work

	mu      sync.Mutex // guards refused
	refused []error    // the last that the context has thrown
}

var names = []string{"readFile", "writeFile", "removeFile", "renameFile", "listDir", "exec", "snapshot", "restore", "artifact", "diff"}

// Funcs implements host.Caller.
func (h *hands) Funcs() iter.Seq[host.Func] {
	return func(yield func(host.Func) bool) {
		for _, n := range names {
			if !yield(host.Func{Name: n}) {
				return
			}
		}
	}
}

// An args has the arguments of all functions.
type args struct {
	Path   string            `json:"path"`
	To     string            `json:"to"`
	Text   *string           `json:"text"`
	Base64 json.RawMessage   `json:"base64"`
	Argv   []string          `json:"argv"`
	Cwd    string            `json:"cwd"`
	Stdin  string            `json:"stdin"`
	Env    map[string]string `json:"env"`
	Paths  []string          `json:"paths"`
	ID     string            `json:"id"`
	Name   string            `json:"name"`
}

// contents are what a call brings.
func (a args) contents() ([]byte, error) {
	if a.Text != nil {
		return []byte(*a.Text), nil
	}
	var text string
	if err := json.Unmarshal(a.Base64, &text); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}

// Call implements host.Caller.
func (h *hands) Call(ctx context.Context, name string, data json.RawMessage) (json.RawMessage, error) {
	if len(data) > host.MaxArgs {
		return nil, &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("The arguments of %s have %d bytes, more than %d.", name, len(data), host.MaxArgs)}
	}
	var a args
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, &host.Error{Code: host.Invalid, Message: "The arguments of " + name + " are not of their form.", Err: err}
	}
	out, err := h.do(ctx, name, a)
	if err != nil {
		return nil, h.told(err)
	}
	return json.Marshal(out)
}

type object = map[string]any

func (h *hands) do(ctx context.Context, name string, a args) (any, error) {
	w := h.work
	switch name {
	case "readFile":
		data, err := w.ReadFile(a.Path)
		switch {
		case err != nil:
			return nil, err
		case len(a.Base64) > 0:
			return object{"base64": base64.StdEncoding.EncodeToString(data)}, nil
		case !utf8.Valid(data):
			return nil, &host.Error{Code: host.Invalid, Message: a.Path + " is not text in UTF-8; readBytes reads it"}
		}
		return object{"text": string(data)}, nil
	case "writeFile":
		data, err := a.contents()
		if err != nil {
			return nil, err
		}
		return object{}, w.WriteFile(a.Path, data)
	case "removeFile":
		return object{}, w.Remove(a.Path)
	case "renameFile":
		return object{}, w.Rename(a.Path, a.To)
	case "listDir":
		entries, err := fs.ReadDir(w.FS(), cmp.Or(strings.Trim(a.Path, "/"), "."))
		if err != nil {
			return nil, err
		}
		list := []string{}
		for _, e := range entries {
			n := e.Name()
			if e.IsDir() {
				n += "/"
			}
			list = append(list, n)
		}
		return object{"names": list}, nil
	case "exec":
		return h.exec(ctx, a)
	case "snapshot":
		id, err := w.Snapshot(a.Paths...)
		return object{"id": id}, err
	case "restore":
		return object{}, w.Restore(a.ID)
	case "artifact":
		data, err := a.contents()
		if err != nil {
			return nil, err
		}
		return object{}, w.Artifact(a.Name, bytes.NewReader(data))
	case "diff":
		changes := []object{}
		for n, diff := range w.Diff() {
			changes = append(changes, object{"name": n, "diff": diff})
		}
		return object{"changes": changes}, nil
	}
	return nil, &host.Error{Code: host.NotFound, Message: "There is no function " + name + "."}
}

// maxOutput is how many bytes of a stream of a command a stage gets.
const maxOutput = 256 << 10

func (h *hands) exec(ctx context.Context, a args) (any, error) {
	var stdout, stderr head
	opts := &task.ExecOptions{Dir: strings.Trim(a.Cwd, "/"), Stdout: &stdout, Stderr: &stderr}
	if a.Stdin != "" {
		opts.Stdin = strings.NewReader(a.Stdin)
	}
	for n, v := range a.Env {
		opts.Env = append(opts.Env, n+"="+v)
	}
	slices.Sort(opts.Env)
	x, err := h.work.ExecWith(ctx, opts, a.Argv...)
	if err != nil {
		return nil, err
	}
	return object{"code": x.Code, "stdout": stdout.text(), "stderr": stderr.text(), "durationMs": x.Duration.Milliseconds()}, nil
}

// A head is the beginning of what is written to it.
type head struct {
	mu   sync.Mutex // guards kept: a command may write from several goroutines
	kept []byte
}

func (o *head) Write(buf []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, buf[:min(len(buf), maxOutput-len(o.kept))]...)
	return len(buf), nil
}

func (o *head) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ToValidUTF8(string(o.kept), "\uFFFD")
}

// told is an error as the module sees it, which is remembered in case the stage throws it on.
func (h *hands) told(err error) error {
	e := &host.Error{Code: host.Invalid, Message: err.Error(), Err: err}
	var own *host.Error
	switch {
	case errors.As(err, &own):
		return err
	case errors.Is(err, task.ErrRefused):
		e.Code = host.Denied
	case errors.Is(err, task.ErrNoBackend), errors.Is(err, task.ErrOver):
		e.Code = host.Unavailable
	case errors.Is(err, task.ErrLimit):
		e.Code = host.Exhausted
	case errors.Is(err, fs.ErrNotExist):
		e.Code = host.NotFound
	case errors.Is(err, fs.ErrExist):
		e.Code = host.Conflict
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		e.Code = host.Timeout
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused = append(h.refused, err); len(h.refused) > 100 {
		h.refused = slices.Delete(h.refused, 0, 1)
	}
	return e
}

// cause returns the error of the context that a text is of, or nil.
func (h *hands) cause(text string) error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range slices.Backward(h.refused) {
		if strings.HasSuffix(text, err.Error()) {
			return err
		}
	}
	return nil
}
