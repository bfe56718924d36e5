package playground

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"time"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// Bounds of what is told of checkpoints.
const (
	checkpointPage = 50      // checkpoints of an answer
	compareMax     = 1 << 20 // bytes of a text that is compared line by line
	compareAll     = 8 << 20 // bytes that are read to count the lines of a comparison
)

// A checkpointInfo is a checkpoint on the timeline.
type checkpointInfo struct {
	ID      string    `json:"id"`
	Label   string    `json:"label"`
	By      string    `json:"by"` // "person ada", "agent coder", "tool markdown", "task index"; "" if nobody said
	Time    time.Time `json:"time"`
	State   bool      `json:"state"` // it holds KV and databases
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
	Changed int       `json:"changed"` // files that differ from the checkpoint before
}

type checkpointsReply struct {
	Checkpoints []checkpointInfo `json:"checkpoints"` // the newest first
	More        bool             `json:"more"`
	Changed     int              `json:"changed"` // files that differ now from the newest of all
}

type checkpointRequest struct {
	Label string `json:"label"`
	State bool   `json:"state"`
}

type restoreRequest struct {
	Checkpoint string `json:"checkpoint"`
	State      bool   `json:"state"`
}

type forkRequest struct {
	Checkpoint string `json:"checkpoint"`
	ID         string `json:"id"` // of the new project
	State      bool   `json:"state"`
}

// A changeInfo is a file, or data, that differs between two moments.
type changeInfo struct {
	Kind    string `json:"kind"` // "added", "removed", "changed", "renamed"
	Part    string `json:"part"` // "kv" of a namespace, "db" of a table, whose lines are keys and rows; "" of a file
	Name    string `json:"name"` // "index.html", "KV", "DB.notes"
	From    string `json:"from"` // name before, of a renamed one
	Size    int64  `json:"size"` // 0 of a removed one
	Was     int64  `json:"was"`  // size before
	Counted bool   `json:"counted"`
	Added   int    `json:"added"`   // lines, if counted
	Removed int    `json:"removed"` // likewise
}

type diffReply struct {
	Changes []changeInfo `json:"changes"`
	Large   bool         `json:"large"` // KV and databases are too large to be compared
}

// A hunk is lines that changed, and some around them.
type hunk struct {
	Before int      `json:"before"` // number of the first line, from 1
	After  int      `json:"after"`
	Lines  []string `json:"lines"` // after " ", "-" or "+"; "\" says that the line above it has no end
}

type fileDiffReply struct {
	Text  bool   `json:"text"` // both sides can be compared
	Long  bool   `json:"long"` // a side is text, but too long to be
	Cut   bool   `json:"cut"`  // there is more than is shown
	Hunks []hunk `json:"hunks"`
}

func (p *page) checkpointRoutes(api func(string, func(*call) error)) {
	api("GET /api/projects/{id}/checkpoints", p.listCheckpoints)
	api("POST /api/projects/{id}/checkpoints", p.createCheckpoint)
	api("DELETE /api/projects/{id}/checkpoints/{checkpoint}", p.deleteCheckpoint)
	api("POST /api/projects/{id}/restore", p.restoreCheckpoint)
	api("POST /api/projects/{id}/fork", p.forkCheckpoint)
	api("GET /api/projects/{id}/diff", p.diffMoments)
	api("GET /api/projects/{id}/diff/file", p.diffFile)
}

func infoOfCheckpoint(c sam.Checkpoint) checkpointInfo {
	return checkpointInfo{ID: c.ID, Label: c.Label, By: c.By, Time: c.Time, State: c.Parts.KV && c.Parts.DB, Files: c.Files, Bytes: c.Bytes}
}

// authored is the request's context, in which checkpoints are the person's.
func (c *call) authored() context.Context {
	by := "person"
	if c.principal != "" {
		by += " " + c.principal
	}
	return sam.WithAuthor(c.r.Context(), by)
}

// noCheckpoint says what is missing, where that may be a checkpoint.
func noCheckpoint(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &host.Error{Code: host.NotFound, Message: "There is no such checkpoint, or it holds no state.", Err: err}
	}
	return err
}

// state are the parts that the page means by it. Secrets are in no checkpoint.
func state(with bool) sam.Parts { return sam.Parts{KV: with, DB: with} }

func (p *page) listCheckpoints(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	ctx := c.r.Context()
	reply := checkpointsReply{Checkpoints: []checkpointInfo{}}
	after := c.r.URL.Query().Get("before")
	passed := after == ""
	newest := ""
	for cp, err := range project.Checkpoints(ctx) {
		if err != nil {
			return err
		}
		newest = cmp.Or(newest, cp.ID)
		// Each is told apart from the next, which is the one before it.
		if n := len(reply.Checkpoints); n > 0 {
			last := &reply.Checkpoints[n-1]
			changes, err := project.Diff(ctx, cp.ID, last.ID)
			if err != nil {
				return noCheckpoint(err)
			}
			last.Changed = len(changes)
			if n == checkpointPage {
				reply.More = true
				break
			}
		}
		if passed {
			reply.Checkpoints = append(reply.Checkpoints, infoOfCheckpoint(cp))
		}
		passed = passed || cp.ID == after
	}
	if n := len(reply.Checkpoints); n > 0 && !reply.More {
		reply.Checkpoints[n-1].Changed = reply.Checkpoints[n-1].Files // the first of all
	}
	if newest != "" {
		changes, err := project.Diff(ctx, newest, "")
		if err != nil {
			return noCheckpoint(err)
		}
		reply.Changed = len(changes)
	}
	return c.reply(http.StatusOK, reply)
}

func (p *page) createCheckpoint(c *call) error {
	var req checkpointRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	id, err := c.projectID()
	if err != nil {
		return err
	}
	made, err := c.bench.Checkpoint(c.authored(), id, req.Label, state(req.State))
	if err != nil {
		return err
	}
	return c.reply(http.StatusCreated, infoOfCheckpoint(made))
}

func (p *page) deleteCheckpoint(c *call) error {
	id, err := c.projectID()
	if err != nil {
		return err
	}
	if err := c.bench.DeleteCheckpoints(c.r.Context(), id, c.r.PathValue("checkpoint")); err != nil {
		return noCheckpoint(err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// restoreCheckpoint answers with the checkpoint of what was there, which undoes it.
func (p *page) restoreCheckpoint(c *call) error {
	var req restoreRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	id, err := c.projectID()
	if err != nil {
		return err
	}
	made, err := c.bench.Restore(c.authored(), id, req.Checkpoint, state(req.State))
	if err != nil {
		return noCheckpoint(err)
	}
	return c.reply(http.StatusOK, infoOfCheckpoint(made))
}

func (p *page) forkCheckpoint(c *call) error {
	var req forkRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	id, err := c.projectID()
	if err != nil {
		return err
	}
	if err := checkID(req.ID); err != nil {
		return err
	}
	fork, err := c.bench.Fork(c.r.Context(), id, req.Checkpoint, sam.ProjectID(req.ID), state(req.State))
	if err != nil {
		return noCheckpoint(err)
	}
	return c.showProject(p, fork, http.StatusCreated)
}

// A moment is a project at a checkpoint or, if that is "", now.
type moment struct {
	ctx     context.Context
	project *sam.Project
	id      string
	past    fs.FS // made when first asked for
}

// read returns a file, or nil for the name "" and one that there was not.
func (m *moment) read(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	if m.past == nil && m.id != "" {
		var err error
		if m.past, err = m.project.CheckpointFS(m.ctx, m.id); err != nil {
			return nil, err
		}
	}
	var data []byte
	var err error
	if m.id == "" {
		data, err = m.project.ReadFile(m.ctx, name)
	} else {
		data, err = fs.ReadFile(m.past, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// moments returns the two that a request compares.
func (c *call) moments() (before, after *moment, err error) {
	project, err := c.project()
	if err != nil {
		return nil, nil, err
	}
	q := c.r.URL.Query()
	at := func(id string) *moment { return &moment{ctx: c.r.Context(), project: project, id: id} }
	return at(q.Get("before")), at(q.Get("after")), nil
}

func (p *page) diffMoments(c *call) error {
	before, after, err := c.moments()
	if err != nil {
		return err
	}
	changes, err := before.project.Diff(c.r.Context(), before.id, after.id)
	if err != nil {
		return noCheckpoint(err)
	}
	reply := diffReply{Changes: make([]changeInfo, len(changes))}
	left := int64(compareAll)
	for i, ch := range changes {
		info := changeInfo{Kind: ch.Kind(), Name: cmp.Or(ch.After.Name, ch.Before.Name), Size: ch.After.Size, Was: ch.Before.Size}
		if info.Kind == "renamed" {
			info.From = ch.Before.Name
		}
		if size := info.Size + info.Was; info.Kind != "renamed" && info.Size <= compareMax && info.Was <= compareMax && size <= left {
			left -= size
			if err := info.count(before, after); err != nil {
				return noCheckpoint(err)
			}
		}
		reply.Changes[i] = info
	}
	if c.r.URL.Query().Get("state") == "1" {
		data, err := p.diffStates(c, before, after)
		var limit *sam.LimitError
		if reply.Large = errors.As(err, &limit); err != nil && !reply.Large {
			return noCheckpoint(err)
		}
		reply.Changes = append(reply.Changes, data...)
	}
	return c.reply(http.StatusOK, reply)
}

// count counts the lines that came and went.
func (i *changeInfo) count(before, after *moment) error {
	a, b, _, err := texts(before, after, i.Name, i.Name)
	if err != nil {
		return err
	}
	if a == nil && b == nil {
		return nil
	}
	i.Counted = true
	for _, e := range diffTexts(a, b) {
		i.Added += e.b1 - e.b0
		i.Removed += e.a1 - e.a0
	}
	return nil
}

// texts returns the lines of a file at two moments, nil and nil if one of them is no text or is too long.
func texts(before, after *moment, from, name string) (a, b []string, long bool, err error) {
	old, err := before.read(from)
	if err != nil {
		return nil, nil, false, err
	}
	now, err := after.read(name)
	if err != nil {
		return nil, nil, false, err
	}
	for _, side := range []struct {
		name string
		data []byte
	}{{from, old}, {name, now}} {
		if !utf8.Valid(side.data) || !sam.IsText(side.name, side.data[:min(len(side.data), headLen)]) {
			return nil, nil, false, nil
		}
	}
	if len(old) > compareMax || len(now) > compareMax {
		return nil, nil, true, nil
	}
	return append([]string{}, splitLines(string(old))...), append([]string{}, splitLines(string(now))...), false, nil
}

func (p *page) diffFile(c *call) error {
	if part := c.r.URL.Query().Get("part"); part != "" {
		return p.diffState(c, part, c.r.URL.Query().Get("name"))
	}
	name, err := c.fileName()
	if err != nil {
		return err
	}
	from := cmp.Or(c.r.URL.Query().Get("from"), name)
	if err := sam.CheckFileName(from); err != nil {
		return err
	}
	before, after, err := c.moments()
	if err != nil {
		return err
	}
	a, b, long, err := texts(before, after, from, name)
	if err != nil {
		return noCheckpoint(err)
	}
	reply := fileDiffReply{Text: a != nil, Long: long, Hunks: []hunk{}}
	if reply.Text {
		var hunks []hunk
		hunks, reply.Cut = hunksOf(a, b, diffTexts(a, b))
		reply.Hunks = append(reply.Hunks, hunks...)
	}
	return c.reply(http.StatusOK, reply)
}
