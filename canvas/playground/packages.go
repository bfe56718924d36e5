package playground

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// exportPackage sends a project as a .sam package, with its KV and databases if the
// query says so; its secrets never leave it. A package that fails on the way breaks the
// connection, so that what has arrived is not taken for one.
func (p *page) exportPackage(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	var parts sam.Parts
	if c.r.URL.Query().Get("state") == "1" {
		parts = sam.Parts{KV: true, DB: true}
	}
	w := &download{w: c.w, name: string(project.ID()) + sam.PackageExt}
	err = project.Export(c.r.Context(), w, parts)
	if err != nil && w.begun {
		p.log.Debug("playground: export broke off", "project", project.ID(), "err", err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// A download is the answer with a file, begun with its first byte: until then it can
// still be an error.
type download struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

func (d *download) Write(b []byte) (int, error) {
	if !d.begun {
		d.begun = true
		head := d.w.Header()
		head.Set("Content-Type", "application/octet-stream")
		head.Set("Content-Disposition", "attachment; filename*=UTF-8''"+escapeName(d.name))
	}
	return d.w.Write(b)
}

// importPackage makes a project of the package in the body, with the KV and the
// databases that it has.
func (p *page) importPackage(c *call) error {
	id := c.r.URL.Query().Get("id")
	if err := checkID(id); err != nil {
		return err
	}
	spool, size, err := c.spool(http.MaxBytesReader(c.w, c.r.Body, maxPackage), nil)
	if err != nil {
		return err
	}
	defer spool.Close()
	pkg, err := sam.OpenPackage(spool, size)
	if err != nil {
		return err
	}
	told := c.progress(p.log)
	defer told.stop()
	return told.end(c.make(func(ws *sam.Workspace) (*sam.Project, importReply, error) {
		project, err := ws.Import(c.r.Context(), sam.ProjectID(id), &countedAt{r: spool, told: told, size: size}, size, sam.Parts{KV: pkg.Parts.KV, DB: pkg.Parts.DB})
		return project, importReply{ID: id, Wants: pkg.Wants, Secrets: pkg.Parts.Secrets}, err
	}))
}

// importRepo makes a project of files in a repository.
func (p *page) importRepo(c *call) error {
	if p.repos == nil {
		return notFound("This playground imports from no code host.")
	}
	var req repoRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := checkID(req.ID); err != nil {
		return err
	}
	source := repoSource(req.Source)
	from, err := sam.ParseRepoSource(source)
	if err != nil {
		return invalid("%q names no repository: write owner/repo, owner/repo@ref:folder, or the address of a page of GitHub.", req.Source)
	}
	if _, err := c.bench.Workspace().Open(c.r.Context(), sam.ProjectID(req.ID)); err == nil {
		return fs.ErrExist // before anyone is asked
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	told := c.progress(p.log)
	defer told.stop()
	told.at("fetch", 0, 0)
	archive, size, err := p.fetch(c, from, told)
	if err != nil {
		return told.end(importReply{}, err)
	}
	defer archive.Close()
	return told.end(c.make(func(ws *sam.Workspace) (*sam.Project, importReply, error) {
		project, dropped, err := ws.ImportRepo(c.r.Context(), sam.ProjectID(req.ID), &fetched{archive, told, size}, source)
		return project, importReply{ID: req.ID, Dropped: dropped}, err
	}))
}

// fetch gets the archive of a repository into a file. What goes wrong at the code host is
// the person's to know: it is no secret of the program.
func (p *page) fetch(c *call, from sam.RepoSource, told *progress) (*spool, int64, error) {
	body, err := p.repos.Fetch(c.r.Context(), from.Owner, from.Repo, from.Ref)
	if err == nil {
		defer body.Close()
		var s *spool
		var size int64
		if s, size, err = c.spool(http.MaxBytesReader(nil, body, maxPackage), told); err == nil {
			return s, size, nil
		}
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long), c.r.Context().Err() != nil:
		return nil, 0, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, notFound("There is no public repository " + from.Owner + "/" + from.Repo + ", or it has no such branch, tag or commit.")
	}
	return nil, 0, &host.Error{Code: host.Unavailable, Message: "The repository can't be had: " + err.Error(), Retry: true, Err: err}
}

// repoSource is what a person writes or pastes for a repository as [sam.ParseRepoSource] reads it.
func repoSource(text string) string {
	text = strings.TrimSuffix(strings.TrimSpace(text), "/")
	if u, err := url.Parse(text); err == nil && u.Scheme == "https" && u.Host == "github.com" {
		text = strings.TrimPrefix(u.Path, "/")
	} else {
		text = strings.TrimPrefix(text, "github.com/")
	}
	owner, rest, _ := strings.Cut(text, "/")
	repo, below, deep := strings.Cut(rest, "/")
	if tree, ok := strings.CutPrefix(below, "tree/"); deep && ok && !strings.ContainsAny(repo, "@:") {
		ref, dir, _ := strings.Cut(tree, "/")
		text = owner + "/" + strings.TrimSuffix(repo, ".git") + "@" + ref
		if dir != "" {
			text += ":" + dir
		}
		return text
	}
	return strings.TrimSuffix(text, ".git")
}

// cloneProject makes a project of another's files, with its KV and databases if asked.
func (p *page) cloneProject(c *call) error {
	from, err := c.projectID()
	if err != nil {
		return err
	}
	var req cloneRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := checkID(req.ID); err != nil {
		return err
	}
	reply, err := c.make(func(ws *sam.Workspace) (*sam.Project, importReply, error) {
		project, err := ws.Clone(c.r.Context(), from, sam.ProjectID(req.ID), sam.Parts{KV: req.State, DB: req.State})
		return project, importReply{ID: req.ID}, err
	})
	if err != nil {
		return err
	}
	return c.reply(http.StatusCreated, reply)
}

// make makes a project. If whoever asked has gone by then, it is taken back.
func (c *call) make(fn func(*sam.Workspace) (*sam.Project, importReply, error)) (importReply, error) {
	var reply importReply
	project, err := c.bench.Add(func(ws *sam.Workspace) (project *sam.Project, err error) {
		if err := c.r.Context().Err(); err != nil {
			return nil, err
		}
		project, reply, err = fn(ws)
		return project, err
	})
	if err != nil {
		return importReply{}, err
	}
	if err := c.r.Context().Err(); err != nil {
		return importReply{}, errors.Join(err, c.bench.Delete(context.WithoutCancel(c.r.Context()), project.ID()))
	}
	return reply, nil
}

// A spool is a file that is gone when it is closed.
type spool struct{ *os.File }

func (s *spool) Close() error {
	return errors.Join(s.File.Close(), os.Remove(s.Name()))
}

// spool keeps what is read in a file: packages are read from their end, and a project is not
// made while something slow arrives. Small ones don't need it, but are read so as well.
func (c *call) spool(r io.Reader, told *progress) (*spool, int64, error) {
	f, err := os.CreateTemp("", "samkit-import-*")
	if err != nil {
		return nil, 0, err
	}
	s := &spool{f}
	var size int64
	if told != nil {
		r = &counted{r: r, told: told, step: "fetch"}
	}
	if size, err = io.Copy(f, r); err == nil {
		err = c.r.Context().Err()
	}
	if err != nil {
		s.Close()
		return nil, 0, err
	}
	return s, size, nil
}

// A fetched is the one repository that was fetched, as a [sam.Fetcher].
type fetched struct {
	archive *spool
	told    *progress
	size    int64
}

func (f *fetched) Fetch(context.Context, string, string, string) (io.ReadCloser, error) {
	if _, err := f.archive.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.NopCloser(&counted{r: f.archive, told: f.told, step: "check", total: f.size}), nil
}

// A counted tells how much of a reader has been read.
type counted struct {
	r     io.Reader
	told  *progress
	step  string
	done  int64
	total int64 // 0 if it is not known
}

func (r *counted) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.done += int64(n)
	r.told.at(r.step, r.done, r.total)
	return n, err
}

// A countedAt tells how much of a package has been read: all of it, once.
type countedAt struct {
	r    io.ReaderAt
	told *progress
	size int64
	done atomic.Int64
}

func (r *countedAt) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.r.ReadAt(b, off)
	r.told.at("check", min(r.done.Add(int64(n)), r.size), r.size)
	return n, err
}

// packageError says what is wrong with a package, by the name of the entry.
func packageError(err *sam.PackageError) string {
	if err.Entry == "" {
		return "The package " + err.Reason + "."
	}
	name := err.Entry
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "") + "…"
	}
	return fmt.Sprintf("In the package, %s %s.", strconv.Quote(name), err.Reason)
}
