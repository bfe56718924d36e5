package playground

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// auditPage is how many calls an answer has unless it is asked for more, and auditMax the most.
const (
	auditPage = 200
	auditMax  = 1000
)

// An auditEntry is a call of the agent, of a tool or of an app that has ended.
type auditEntry struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Actor   string    `json:"actor"`   // "agent", "tool", "app"
	Project string    `json:"project"` // whose code called
	Func    string    `json:"func"`    // "files.read", with the version unless that is 1: "crm@2.lookup"
	On      string    `json:"on"`      // the first file it acted on
	Answer  string    `json:"answer"`  // what a person said to it; "" if nobody was asked
	Code    string    `json:"code"`    // of the error; "" if it succeeded
	MS      float64   `json:"ms"`      // milliseconds
	Refusal string    `json:"refusal"` // of a denied one: what was refused
	May     mayInfo   `json:"may"`     // of a denied one: the narrowest grant that would do
	Want    grantInfo `json:"want"`    // the same, to be given
	Session string    `json:"session"` // that is open and can be given it; "" if none is
	Holds   bool      `json:"holds"`   // a session has been given it since
}

// A mayInfo is a grant as the parts of a sentence: who may do what, where.
type mayInfo struct {
	Do    string   `json:"do"`    // "read", "read and change", "call"; "" if no grant would do
	What  []string `json:"what"`  // patterns of files, or functions
	Where string   `json:"where"` // project; "" if it is about none
}

type auditReply struct {
	Entries []auditEntry `json:"entries"` // the newest first
	More    bool         `json:"more"`    // there are more that match
	Denied  int          `json:"denied"`  // of the entries that were looked through
}

// auditFilter is what a request asks for. Zero fields ask for all.
type auditFilter struct {
	actor, project, outcome, words string
}

func (f *auditFilter) matches(e *auditEntry) bool {
	switch {
	case f.actor != "" && f.actor != e.Actor, f.project != "" && f.project != e.Project && !strings.HasPrefix(e.On, f.project+"/") && e.May.Where != f.project:
		return false
	case f.words != "" && !strings.Contains(strings.ToLower(e.Func+" "+e.On+" "+e.Project), f.words):
		return false
	}
	switch f.outcome {
	case "denied":
		return e.Code == string(host.Denied)
	case "failed":
		return e.Code != "" && e.Code != string(host.Denied)
	case "done":
		return e.Code == ""
	}
	return true
}

func entryOf(r host.Record) auditEntry {
	e := auditEntry{
		ID: r.ID + "-" + strconv.FormatInt(r.Time.UnixNano(), 36), Time: r.Time, Actor: r.Role.String(), Project: r.Project,
		Func: strings.Replace(r.Func, "@1.", ".", 1), On: r.On, Answer: r.Answer, Code: string(r.Code),
		MS: float64(r.Duration.Microseconds()) / 1000, Refusal: r.Refusal, May: mayInfo{What: []string{}}, Want: grantOf(tool.Grant{}),
	}
	var g tool.Grant
	if len(r.Grant) == 0 || json.Unmarshal(r.Grant, &g) != nil {
		return e
	}
	e.May.Where = string(g.Project)
	e.Want = grantOf(g)
	switch {
	case len(g.Paths) > 0 && g.Mode == tool.ReadWrite:
		e.May.Do, e.May.What = "read and change", g.Paths
	case len(g.Paths) > 0:
		e.May.Do, e.May.What = "read", g.Paths
	case len(g.Uses) > 0:
		e.May.Do, e.May.What = "call", g.Uses
	}
	return e
}

// find looks for a session that could be given what the entry wants, and for one that has it.
func (e *auditEntry) find(open []workbench.Session, work sam.ProjectID) {
	if e.May.Do == "" || e.Actor != host.Tool.String() {
		return
	}
	for _, s := range open {
		want, err := e.Want.grant()
		if string(s.Project) != e.Project || err != nil {
			continue
		}
		if len(want.Paths) > 0 && want.Project == "" { // it is about the project that the session is about
			want.Project = s.Grant.Project
		}
		if !covers(s, want) {
			continue
		}
		e.Session, e.Want.Project, e.May.Where = s.ID, string(want.Project), string(want.Project)
		e.Holds = slices.ContainsFunc(s.Added, func(g tool.Grant) bool {
			return g.Mode == want.Mode && slices.Equal(g.Paths, want.Paths) && slices.Equal(g.Uses, want.Uses)
		})
		if !e.Holds {
			return
		}
	}
	if e.Session == "" && len(e.Want.Paths) > 0 && e.Want.Project == "" {
		e.Want.Project, e.May.Where = string(work), string(work)
	}
}

func (p *page) readAudit(c *call) error {
	q := c.r.URL.Query()
	limit := auditPage
	if s := q.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return invalid("limit is a number of calls.")
		}
		limit = min(n, auditMax)
	}
	f := auditFilter{q.Get("actor"), q.Get("project"), q.Get("outcome"), strings.ToLower(strings.TrimSpace(q.Get("words")))}
	reply := auditReply{Entries: []auditEntry{}}
	open, work := c.bench.Sessions(), c.bench.Work()
	for r, err := range c.bench.Audit(c.r.Context()) {
		if err != nil {
			return err
		}
		e := entryOf(r)
		e.Actor = cmp.Or(e.Actor, "app")
		e.find(open, work)
		if e.Code == string(host.Denied) {
			reply.Denied++
		}
		if !f.matches(&e) {
			continue
		}
		if len(reply.Entries) == limit {
			reply.More = true
			break
		}
		reply.Entries = append(reply.Entries, e)
	}
	return c.reply(http.StatusOK, reply)
}
