package workbench

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// Bounds of files.edit and files.apply.
const (
	maxEdited   = 8 << 20  // bytes of all files after their replacements
	maxEdits    = 200      // replacements in a file
	maxConflict = 64 << 10 // bytes of a file that a conflict shows
)

// A replacement puts one text for another.
type replacement struct {
	Find    string `json:"find" jsonschema:"occurs exactly once, unless all"`
	Replace string `json:"replace"`
	All     bool   `json:"all,omitempty"`
}

type editIn struct {
	Project      sam.ProjectID `json:"project,omitempty"`
	Path         string        `json:"path"`
	Edits        []replacement `json:"edits"`
	ExpectedHash *string       `json:"expectedHash,omitempty"`
}

// editFile replaces texts of a file. Without a hash, one that changes meanwhile is edited as it is then.
func editFile(ctx context.Context, in editIn) (fileInfo, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayWrite(ctx, p, in.Path)
	}
	if err != nil {
		return fileInfo{}, err
	}
	for try := 0; ; try++ {
		edit, err := replacing(ctx, p, in.Path, in.Edits, in.ExpectedHash)
		if err == nil {
			err = p.Apply(ctx, edit)
		}
		if errors.Is(err, sam.ErrConflict) && in.ExpectedHash == nil && try < 10 {
			continue
		}
		if err != nil {
			return fileInfo{}, s.conflict(ctx, p, err)
		}
		f, err := p.Stat(ctx, in.Path)
		return fileInfo{f.Name, f.Size, f.Hash}, toHost(err)
	}
}

// replacing returns the edit that makes replacements in a file as it is now.
func replacing(ctx context.Context, p *sam.Project, name string, edits []replacement, expected *string) (sam.Edit, error) {
	data, hash, err := contents(ctx, p, name)
	if err != nil {
		return sam.Edit{}, err
	}
	if expected != nil && *expected != hash {
		return sam.Edit{}, &sam.ConflictError{Name: name, Hash: hash}
	}
	if !utf8.Valid(data) {
		return sam.Edit{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is not text in UTF-8.", name), Hint: "Write it as a whole."}
	}
	text := string(data)
	if len(edits) == 0 || len(edits) > maxEdits {
		return sam.Edit{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("A file takes between 1 and %d edits.", maxEdits)}
	}
	for i, e := range edits {
		if err := ctx.Err(); err != nil {
			return sam.Edit{}, err
		}
		if text, err = e.in(text, name, i); err != nil {
			return sam.Edit{}, err
		}
	}
	return sam.Edit{Name: name, Data: []byte(text), IfHash: hash}, nil
}

var errEdited = &host.Error{
	Code: host.Exhausted, Message: fmt.Sprintf("Edits make files of at most %d bytes.", maxEdited), Hint: "Write what is larger as a whole.",
	Details: fmt.Appendf(nil, `{"limit":"edited_bytes","value":%d}`, maxEdited),
}

// in makes the replacement in a text.
func (r replacement) in(text, name string, i int) (string, error) {
	refuse := func(hint, format string, args ...any) (string, error) {
		return "", &host.Error{Code: host.Invalid, Message: fmt.Sprintf("edits[%d]: ", i) + fmt.Sprintf(format, args...), Hint: hint}
	}
	if r.Find == "" {
		return refuse("Write the file as a whole, or find a text beside the place.", "Nothing to find.")
	}
	n := strings.Count(text, r.Find)
	switch {
	case n == 0:
		return refuse("Read the file again; spaces and line ends count.", "The text is not in %q.", name)
	case n > 1 && !r.All:
		return refuse("Give more of the text around it, or say all.", "The text is in %q %d times.", name, n)
	case len(text)+n*(len(r.Replace)-len(r.Find)) > maxEdited:
		return "", errEdited
	}
	return strings.ReplaceAll(text, r.Find, r.Replace), nil
}

// conflict words an error as toHost does, and shows what stands in a write's way, so that nobody has to
// read it again.
func (s *session) conflict(ctx context.Context, p *sam.Project, err error) error {
	var c *sam.ConflictError
	var he *host.Error
	if !errors.As(err, &c) || !errors.As(toHost(err), &he) || !s.sees(ctx, p, c.Name) {
		return toHost(err)
	}
	if data, hash, err := contents(ctx, p, c.Name); err == nil && len(data) <= maxConflict && utf8.Valid(data) {
		shown := *he
		shown.Details = asJSON(map[string]string{"name": c.Name, "hash": hash, "content": string(data)})
		return &shown
	}
	return he
}

// An applyStep is one change of files.apply: contents, edits, a new name or removal.
type applyStep struct {
	Path         string        `json:"path"`
	Content      *string       `json:"content,omitempty"`
	Encoding     string        `json:"encoding,omitempty" jsonschema:"of the content: utf8, or base64"`
	Edits        []replacement `json:"edits,omitempty"`
	To           string        `json:"to,omitempty" jsonschema:"the new name, which is free"`
	Remove       bool          `json:"remove,omitempty"`
	ExpectedHash *string       `json:"expectedHash,omitempty"`
}

type applyIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Changes []applyStep   `json:"changes"`
}

type applyOut struct {
	Files []changedFile `json:"files"`
}

// applyFiles makes all changes or none.
func applyFiles(ctx context.Context, in applyIn) (applyOut, error) {
	out := applyOut{Files: []changedFile{}}
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	for _, c := range in.Changes {
		err := s.mayWrite(ctx, p, c.Path)
		if err == nil && c.To != "" {
			err = s.mayWrite(ctx, p, c.To)
		}
		if err != nil {
			return out, err
		}
	}
	touched := map[string]bool{}
	var names []string
	touch := func(name string) {
		if !touched[name] {
			touched[name] = true
			names = append(names, name)
		}
	}
	var edits []sam.Edit
	edited := 0
	for i, c := range in.Changes {
		edit, err := c.edit(ctx, p, i, touched[c.Path])
		if err != nil {
			return out, s.conflict(ctx, p, err)
		}
		if len(c.Edits) > 0 {
			if edited += len(edit.Data); edited > maxEdited {
				return out, errEdited
			}
		}
		edits = append(edits, edit)
		touch(c.Path)
		if c.To != "" {
			touch(c.To)
		}
	}
	if err := p.Apply(ctx, edits...); err != nil {
		return out, s.conflict(ctx, p, err)
	}
	for _, name := range names {
		f, err := p.Stat(ctx, name)
		if he := toHost(err); he != nil && !isGone(he) {
			return out, he
		}
		out.Files = append(out.Files, changedFile{name, f.Size, f.Hash, f.Hash == ""})
	}
	return out, nil
}

// edit returns the change as the store has it. touched says that one before it is of the same file.
func (c applyStep) edit(ctx context.Context, p *sam.Project, i int, touched bool) (sam.Edit, error) {
	refuse := func(format string, args ...any) (sam.Edit, error) {
		return sam.Edit{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("changes[%d]: ", i) + fmt.Sprintf(format, args...)}
	}
	ways := 0
	for _, is := range []bool{c.Content != nil, len(c.Edits) > 0, c.To != "", c.Remove} {
		if is {
			ways++
		}
	}
	if ways != 1 {
		return refuse("Give one of content, edits, to and remove.")
	}
	e := sam.Edit{Name: c.Path, Remove: c.Remove, Rename: c.To, IfHash: expected(c.ExpectedHash)}
	switch {
	case len(c.Edits) > 0 && touched:
		return refuse("%q is changed before that; give its contents.", c.Path)
	case len(c.Edits) > 0:
		return replacing(ctx, p, c.Path, c.Edits, c.ExpectedHash)
	case c.Content != nil:
		data, err := decodeContent(*c.Content, c.Encoding)
		e.Data = data
		return e, err
	}
	return e, nil
}

// decodeContent returns the bytes of a content.
func decodeContent(content, encoding string) ([]byte, error) {
	switch encoding {
	case "", "utf8":
		return []byte(content), nil
	case "base64":
		data, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return nil, &host.Error{Code: host.Invalid, Message: "The content is not base64."}
		}
		return data, nil
	}
	return nil, errEncoding
}
