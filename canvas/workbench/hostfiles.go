package workbench

import (
	"context"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// defineFiles registers env.HOST.files, which is env.TOOL.files as well.
func defineFiles(b *Bench, c *host.Capability) {
	host.Register(c, "list", "Lists files whose names start with prefix and are like a glob.", listFiles, host.OnFiles, host.Reads)
	host.Register(c, "stat", "Describes a file.", statFile, host.OnFiles, host.Reads)
	host.Register(c, "read", "Reads a file, or limit bytes of it from offset on: as text if it is UTF-8, else as base64.", readFile, host.OnFiles, host.Reads)
	host.Register(c, "changes", "Waits for changes of files after a position, and returns them with the next position. Missed says to read all again.", fileChanges, host.OnFiles, host.Reads)
	host.Register(c, "write", "Makes or replaces a file. With expectedHash it fails if the file has changed; \"\" expects none.", writeFile, host.OnFiles)
	host.Register(c, "edit", "Replaces texts in a file, all of them or none. With expectedHash it fails if the file has changed.", editFile, host.OnFiles)
	host.Register(c, "apply", "Writes, edits, renames and removes several files, all or nothing.", applyFiles, host.OnFiles)
	host.Register(c, "search", "Searches the text of files, line by line.", searchFiles, host.OnFiles, host.Reads)
	host.Register(c, "remove", "Removes a file.", removeFile, host.OnFiles)
	host.Register(c, "rename", "Gives a file a name that is free.", renameFile, host.OnFiles)
}

// A fileInfo is a file as code sees it.
type fileInfo struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

type listIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Prefix  string        `json:"prefix,omitempty"`
	Glob    string        `json:"glob,omitempty" jsonschema:"src/**, **/*.js"`
}

type listOut struct {
	Files []fileInfo `json:"files"`
}

func listFiles(ctx context.Context, in listIn) (listOut, error) {
	out := listOut{Files: []fileInfo{}}
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return out, err
	}
	for f, err := range p.Files(ctx, in.Prefix) {
		if err != nil {
			return out, toHost(err)
		}
		if ok, err := matchGlob(in.Glob, f.Name); err != nil {
			return out, err
		} else if ok && s.sees(ctx, p, f.Name) {
			out.Files = append(out.Files, fileInfo{f.Name, f.Size, f.Hash})
		}
	}
	return out, nil
}

// onProject returns the session that calls and the project that it means.
func onProject(ctx context.Context, id sam.ProjectID) (*session, *sam.Project, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.project(ctx, id)
	return s, p, err
}

type statIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Path    string        `json:"path"`
}

func statFile(ctx context.Context, in statIn) (fileInfo, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayRead(ctx, p, in.Path)
	}
	if err != nil {
		return fileInfo{}, err
	}
	f, err := p.Stat(ctx, in.Path)
	return fileInfo{f.Name, f.Size, f.Hash}, toHost(err)
}

type readIn struct {
	Project  sam.ProjectID `json:"project,omitempty"`
	Path     string        `json:"path"`
	Offset   int           `json:"offset,omitempty"`
	Limit    int           `json:"limit,omitempty"`
	Encoding string        `json:"encoding,omitempty" jsonschema:"utf8 or base64"`
}

type readOut struct {
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
	Hash     string `json:"hash"`
	Size     int    `json:"size"`
}

func readFile(ctx context.Context, in readIn) (readOut, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayRead(ctx, p, in.Path)
	}
	if err != nil {
		return readOut{}, err
	}
	data, hash, err := contents(ctx, p, in.Path)
	if err != nil {
		return readOut{}, toHost(err)
	}
	out := readOut{Hash: hash, Size: len(data), Encoding: in.Encoding}
	data = data[min(max(in.Offset, 0), len(data)):]
	if in.Limit > 0 {
		data = data[:min(in.Limit, len(data))]
	}
	if out.Encoding == "" {
		if out.Encoding = "base64"; utf8.Valid(data) {
			out.Encoding = "utf8"
		}
	}
	switch out.Encoding {
	case "utf8":
		out.Content = string(data) // what is no UTF-8 becomes U+FFFD, as asked for
	case "base64":
		out.Content = base64.StdEncoding.EncodeToString(data)
	default:
		return readOut{}, errEncoding
	}
	return out, nil
}

var errEncoding = &host.Error{Code: host.Invalid, Message: `The encoding is neither "utf8" nor "base64".`}

// contents returns a file and the hash of what is returned, though it may change meanwhile.
func contents(ctx context.Context, p *sam.Project, name string) ([]byte, string, error) {
	for range 10 {
		before, err := p.Stat(ctx, name)
		if err != nil {
			return nil, "", err
		}
		data, err := p.ReadFile(ctx, name)
		if err != nil {
			return nil, "", err
		}
		after, err := p.Stat(ctx, name)
		if err != nil {
			return nil, "", err
		}
		if before.Hash == after.Hash {
			return data, after.Hash, nil
		}
	}
	return nil, "", &host.Error{Code: host.Unavailable, Message: fmt.Sprintf("%q keeps changing.", name), Retry: true}
}

type writeIn struct {
	Project      sam.ProjectID `json:"project,omitempty"`
	Path         string        `json:"path"`
	Content      string        `json:"content"`
	Encoding     string        `json:"encoding,omitempty" jsonschema:"of the content: utf8, or base64"`
	ExpectedHash *string       `json:"expectedHash,omitempty"`
}

func writeFile(ctx context.Context, in writeIn) (fileInfo, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayWrite(ctx, p, in.Path)
	}
	if err != nil {
		return fileInfo{}, err
	}
	data, err := decodeContent(in.Content, in.Encoding)
	if err != nil {
		return fileInfo{}, err
	}
	if err := p.Apply(ctx, sam.Edit{Name: in.Path, Data: data, IfHash: expected(in.ExpectedHash)}); err != nil {
		return fileInfo{}, s.conflict(ctx, p, err)
	}
	f, err := p.Stat(ctx, in.Path)
	return fileInfo{f.Name, f.Size, f.Hash}, toHost(err)
}

// expected is a hash for sam.Edit.IfHash.
func expected(hash *string) string {
	if hash == nil {
		return "*"
	}
	return *hash
}

type removeIn struct {
	Project      sam.ProjectID `json:"project,omitempty"`
	Path         string        `json:"path"`
	ExpectedHash *string       `json:"expectedHash,omitempty"`
}

type nothing struct{}

func removeFile(ctx context.Context, in removeIn) (nothing, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayWrite(ctx, p, in.Path)
	}
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, s.conflict(ctx, p, p.Apply(ctx, sam.Edit{Name: in.Path, Remove: true, IfHash: expected(in.ExpectedHash)}))
}

type renameIn struct {
	Project      sam.ProjectID `json:"project,omitempty"`
	Path         string        `json:"path"`
	To           string        `json:"to"`
	ExpectedHash *string       `json:"expectedHash,omitempty"`
}

func renameFile(ctx context.Context, in renameIn) (nothing, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayWrite(ctx, p, in.Path)
	}
	if err == nil {
		err = s.mayWrite(ctx, p, in.To)
	}
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, s.conflict(ctx, p, p.Apply(ctx, sam.Edit{Name: in.Path, Rename: in.To, IfHash: expected(in.ExpectedHash)}))
}
