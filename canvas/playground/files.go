package playground

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// headLen is how much of a binary file the page shows, and textMax the longest
// file that the editor opens, in bytes.
const (
	headLen = 4096
	textMax = 4 << 20
)

// fileName returns the file that a request names.
func (c *call) fileName() (string, error) {
	name := c.r.URL.Query().Get("name")
	return name, sam.CheckFileName(name)
}

// file returns the project and the name of a file that a request names.
func (c *call) file() (*sam.Project, string, error) {
	name, err := c.fileName()
	if err != nil {
		return nil, "", err
	}
	project, err := c.project()
	return project, name, err
}

func (p *page) readFile(c *call) error {
	project, name, err := c.file()
	if err != nil {
		return err
	}
	data, err := project.ReadFile(c.r.Context(), name)
	if err != nil {
		return err
	}
	reply := fileReply{Name: name, Size: int64(len(data)), Hash: sam.Hash(data)}
	reply.Text, reply.Data = present(name, data)
	return c.reply(http.StatusOK, reply)
}

// present returns a file as the page gets it: text as it is, of anything else the
// head in base64.
func present(name string, data []byte) (text bool, shown string) {
	if len(data) <= textMax && utf8.Valid(data) && sam.IsText(name, data[:min(len(data), headLen)]) {
		return true, string(data)
	}
	return false, base64.StdEncoding.EncodeToString(data[:min(len(data), headLen)])
}

func (p *page) writeFile(c *call) error {
	project, name, err := c.file()
	if err != nil {
		return err
	}
	var req writeRequest
	if err := c.decode(&req, maxEdits); err != nil {
		return err
	}
	return c.write(project, name, []byte(req.Text), req.Expected)
}

func (p *page) writeRaw(c *call) error {
	project, name, err := c.file()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxRaw))
	if err != nil {
		return err
	}
	return c.write(project, name, data, c.r.URL.Query().Get("expected"))
}

// write replaces a file and answers with what it is then.
func (c *call) write(project *sam.Project, name string, data []byte, expected string) error {
	if data == nil {
		data = []byte{}
	}
	err := project.Apply(c.r.Context(), sam.Edit{Name: name, Data: data, IfHash: expected})
	if err != nil {
		return withContents(c.r.Context(), project, err)
	}
	return c.reply(http.StatusOK, fileInfo{Name: name, Size: int64(len(data)), Hash: sam.Hash(data)})
}

// withContents adds to a conflict what the file is now, so that the page can show both.
func withContents(ctx context.Context, project *sam.Project, err error) error {
	var conflict *sam.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	now := conflictDetails{Name: conflict.Name}
	data, rerr := project.ReadFile(ctx, conflict.Name)
	switch {
	case rerr == nil:
		now.Hash = sam.Hash(data)
		if now.Text, now.Data = present(conflict.Name, data); !now.Text {
			now.Data = ""
		}
	case !errors.Is(rerr, fs.ErrNotExist):
		return rerr
	}
	details, merr := json.Marshal(now)
	if merr != nil {
		return merr
	}
	message := conflict.Name + " has changed since."
	if now.Hash == "" {
		message = conflict.Name + " is not there any more."
	}
	return &host.Error{Code: host.Conflict, Message: message, Details: details, Err: err}
}

func (p *page) applyEdits(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	var req editsRequest
	if err := c.decode(&req, maxEdits); err != nil {
		return err
	}
	edits := make([]sam.Edit, len(req.Edits))
	for i, e := range req.Edits {
		if edits[i], err = e.edit(); err != nil {
			return err
		}
	}
	if len(edits) == 0 {
		return invalid("There is nothing to do.")
	}
	if err := project.Apply(c.r.Context(), edits...); err != nil {
		return withContents(c.r.Context(), project, err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// edit checks that a request does exactly one thing to a file.
func (e editRequest) edit() (sam.Edit, error) {
	out := sam.Edit{Name: e.Name, Rename: e.Rename, Remove: e.Remove, IfHash: e.Expected}
	n := 0
	if e.Text != nil {
		n++
		out.Data = []byte(*e.Text)
	}
	if e.Base64 != nil {
		n++
		data, err := base64.StdEncoding.DecodeString(*e.Base64)
		if err != nil {
			return sam.Edit{}, invalid("The contents of %s are not base64.", strconv.Quote(e.Name))
		}
		out.Data = data
	}
	if out.Data == nil && n > 0 {
		out.Data = []byte{} // an empty file, not a missing one
	}
	if e.Rename != "" {
		n++
	}
	if e.Remove {
		n++
	}
	if n != 1 {
		return sam.Edit{}, invalid("An edit of %s has to give exactly one of text, base64, rename and remove.", strconv.Quote(e.Name))
	}
	return out, nil
}

// readRaw serves the bytes of a file to the page, which shows them from memory. As
// a document of its own the answer is dead: nothing of a project runs in the program's origin.
func (p *page) readRaw(c *call) error {
	project, name, err := c.file()
	if err != nil {
		return err
	}
	data, err := project.ReadFile(c.r.Context(), name)
	if err != nil {
		return err
	}
	head := c.w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("Content-Length", strconv.Itoa(len(data)))
	head.Set("Content-Disposition", "attachment; filename*=UTF-8''"+escapeName(path.Base(name)))
	c.w.Write(data)
	return nil
}

// escapeName encodes a file name as RFC 8187 has it.
func escapeName(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
