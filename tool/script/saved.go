package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// fileOf returns the file of a script that is saved.
func fileOf(name string) (string, error) {
	if !validName.MatchString(name) {
		return "", &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no name of a script: lower-case letters, digits, - and _, 64 at most", name)}
	}
	return "scripts/" + name + ".md", nil
}

// Save checks src and writes scripts/<name>.md, as [Options.Mode] permits. It is Markdown: front matter with name,
// description and createdAt, and the code in a fence. One that is saved again keeps its createdAt. The
// error may be a [*BlockedError]; then nothing is written.
func (r *Runner) Save(ctx context.Context, src Source) (err error) {
	defer func(start time.Time) { r.observed("save", src, start, nil, err) }(time.Now())
	file, err := fileOf(src.Name)
	if err != nil {
		return err
	}
	if _, err := r.check(src); err != nil {
		return err
	}
	created := time.Now().UTC().Format(time.RFC3339)
	switch old, err := r.project.ReadFile(ctx, file); {
	case err == nil:
		if before := parse(string(old)).createdAt; before != "" {
			created = before
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	_, err = r.change(ctx, edit(file, markdown(src, created)))
	return err
}

// Load returns a script that is saved. It is as somebody may have written it: only running it checks it.
func (r *Runner) Load(ctx context.Context, name string) (Source, error) {
	file, err := fileOf(name)
	if err != nil {
		return Source{}, err
	}
	data, err := r.project.ReadFile(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return Source{}, &host.Error{Code: host.NotFound, Message: "There is no script " + name, Err: err}
	}
	if err != nil {
		return Source{}, fmt.Errorf("script: load %s: %w", name, err)
	}
	m := parse(string(data))
	return Source{Name: name, Description: m.description, Lang: m.lang, Code: m.code}, nil
}

// Run runs a saved script, as [Runner.Eval] does. Places in errors count from the first line of its code.
func (r *Runner) Run(ctx context.Context, name string, params any) (*Result, error) {
	src, err := r.Load(ctx, name)
	if err != nil {
		return nil, err
	}
	return r.execute(ctx, "run", src, params)
}

// A Saved is a script that is saved, as [Runner.List] tells of it.
type Saved struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	CreatedAt   string `json:"createdAt,omitempty"` // as RFC 3339; "" if its file does not say
}

// List returns the scripts that are saved, by name.
func (r *Runner) List(ctx context.Context) ([]Saved, error) {
	list := []Saved{}
	for f, err := range r.project.Files(ctx, "scripts/") {
		if err != nil {
			return nil, fmt.Errorf("script: list: %w", err)
		}
		name, ok := strings.CutSuffix(strings.TrimPrefix(f.Name, "scripts/"), ".md")
		if !ok || !validName.MatchString(name) || !r.permits(f.Name, tool.Read) {
			continue
		}
		data, err := r.project.ReadFile(ctx, f.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // has just been deleted
		}
		if err != nil {
			return nil, fmt.Errorf("script: list: %w", err)
		}
		m := parse(string(data))
		list = append(list, Saved{name, m.description, m.createdAt})
	}
	return list, nil
}

// Delete removes a script that is saved, as [Options.Mode] permits.
func (r *Runner) Delete(ctx context.Context, name string) error {
	file, err := fileOf(name)
	if err != nil {
		return err
	}
	_, err = r.change(ctx, sam.Edit{Name: file, Remove: true, IfHash: "*"})
	if errors.Is(err, fs.ErrNotExist) {
		return &host.Error{Code: host.NotFound, Message: "There is no script " + name, Err: err}
	}
	return err
}

// markdown is the file of a script. JSON strings are YAML.
func markdown(src Source, created string) string {
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) } // of a string: no error
	lang := "ts"
	if strings.HasPrefix(src.Lang, "j") {
		lang = "js"
	}
	fence := "```"
	for strings.Contains(src.Code, fence) {
		fence += "`"
	}
	return fmt.Sprintf("---\nname: %s\ndescription: %s\ncreatedAt: %s\n---\n\n%s%s\n%s\n%s\n",
		src.Name, quote(src.Description), created, fence, lang, strings.TrimSuffix(src.Code, "\n"), fence)
}

// A saved is what a script's file says.
type saved struct{ description, createdAt, lang, code string }

// parse reads a script's file: the front matter's plain and quoted values, and the fences, joined. Without
// a fence all that follows the front matter is code, in TypeScript.
func parse(text string) saved {
	var m saved
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if head, body, ok := strings.Cut(rest, "\n---\n"); ok {
			text = body
			for l := range strings.SplitSeq(head, "\n") {
				key, value, _ := strings.Cut(l, ":")
				value = strings.TrimSpace(value)
				var s string
				if json.Unmarshal([]byte(value), &s) == nil && strings.HasPrefix(value, `"`) {
					value = s
				}
				switch strings.TrimSpace(key) {
				case "description":
					m.description = value
				case "createdAt":
					m.createdAt = value
				}
			}
		}
	}
	blocks, lang := fences(text)
	if blocks == nil {
		m.code = strings.TrimPrefix(text, "\n")
		return m
	}
	m.code, m.lang = strings.Join(blocks, "\n"), lang
	return m
}

// fences returns the code in fences. It is JavaScript if all say so.
func fences(text string) (blocks []string, lang string) {
	var fence string // that is open
	var block []string
	lang = "js"
	for l := range strings.SplitSeq(text, "\n") {
		ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence, block = ticks, []string{}
			if info := strings.ToLower(strings.TrimSpace(l[len(ticks):])); info != "js" && info != "javascript" {
				lang = "ts"
			}
		case fence != "" && len(ticks) >= len(fence) && strings.TrimSpace(l) == ticks:
			blocks, fence = append(blocks, strings.Join(block, "\n")), ""
		case fence != "":
			block = append(block, l)
		}
	}
	if fence != "" { // to the end
		blocks = append(blocks, strings.Join(block, "\n"))
	}
	return blocks, lang
}
