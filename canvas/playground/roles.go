package playground

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"samkit.dev/canvas"
	"samkit.dev/canvas/workbench"
	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A grantInfo is a tool.Grant without defaults.
type grantInfo struct {
	Project  string   `json:"project"` // "" means none
	Paths    []string `json:"paths"`
	Mode     string   `json:"mode"` // "read", "readwrite" or "" without paths
	Uses     []string `json:"uses"`
	MaxCalls int      `json:"maxCalls"`          // 0 means the default
	Expires  string   `json:"expires,omitempty"` // the default if left out
	Confirm  bool     `json:"confirm"`
}

func grantOf(g tool.Grant) grantInfo {
	info := grantInfo{Project: string(g.Project), Paths: append([]string{}, g.Paths...), Uses: append([]string{}, g.Uses...), MaxCalls: g.MaxCalls, Confirm: g.Confirm}
	if g.Mode != 0 {
		info.Mode = g.Mode.String()
	}
	if !g.Expires.IsZero() {
		info.Expires = stamp(g.Expires)
	}
	return info
}

func (g grantInfo) grant() (tool.Grant, error) {
	out := tool.Grant{Project: sam.ProjectID(g.Project), Paths: g.Paths, Uses: g.Uses, MaxCalls: g.MaxCalls, Confirm: g.Confirm}
	if g.Mode != "" {
		if err := out.Mode.UnmarshalText([]byte(g.Mode)); err != nil {
			return out, invalid("The mode %q is neither read nor readwrite.", g.Mode)
		}
	}
	if g.Expires != "" {
		at, err := time.Parse(time.RFC3339, g.Expires)
		if err != nil {
			return out, invalid("The time %q is not of the form 2006-01-02T15:04:05Z.", g.Expires)
		}
		out.Expires = at
	}
	return out, nil
}

// stamp writes a time as JavaScript's Date reads it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// An actInfo is a call that has ended.
type actInfo struct {
	Func string `json:"func"`
	On   string `json:"on"` // the first file it acted on, "" if none
	Time string `json:"time"`
	Code string `json:"code"` // "" if it succeeded
}

// A sessionInfo is a project in the role of agent or tool.
type sessionInfo struct {
	ID      string      `json:"id"`
	Project string      `json:"project"`
	Canvas  string      `json:"canvas"` // URL relative to the page
	Grant   grantInfo   `json:"grant"`  // of a tool
	Added   []grantInfo `json:"added"`
	Words   string      `json:"words"`
	Since   string      `json:"since"`
	Calls   int         `json:"calls"`
	Last    *actInfo    `json:"last,omitempty"`
	Wrote   []string    `json:"wrote"`   // files of the grant's project
	ByAgent bool        `json:"byAgent"` // the agent opened it
}

type rolesReply struct {
	Work      string         `json:"work"` // "" means none
	Agent     *sessionInfo   `json:"agent,omitempty"`
	Tools     []sessionInfo  `json:"tools"`
	Approvals []approvalInfo `json:"approvals"`
	Questions []promptInfo   `json:"questions"`
	Denials   []denialInfo   `json:"denials"`
	Turn      *turnInfo      `json:"turn,omitempty"`
	Connects  []connectInfo  `json:"connects"` // projects whose pages may talk to others, in order
	Now       string         `json:"now"`      // the program's clock
}

type agentRequest struct {
	ID string `json:"id"` // "" means none
}

type openToolRequest struct {
	Project string    `json:"project"`
	Grant   grantInfo `json:"grant"`
}

type widenRequest struct {
	Grant grantInfo `json:"grant"`
}

// A candidate is a project that may be given a role.
type candidate struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"`  // as its sam.json says: "agent", "tool" or "project"
	Size  int64     `json:"size"`  // of its files, in bytes
	Wants grantInfo `json:"wants"` // what it proposes as a tool
}

func (p *page) showRoles(c *call) error {
	reply := rolesReply{
		Work: string(c.bench.Work()), Tools: []sessionInfo{}, Approvals: []approvalInfo{}, Questions: []promptInfo{},
		Denials: []denialInfo{}, Now: stamp(time.Now()),
	}
	if a := c.bench.Agent(); a.ID != "" {
		info := c.sessionInfo(p, a)
		reply.Agent = &info
	}
	for _, s := range c.bench.Sessions() {
		reply.Tools = append(reply.Tools, c.sessionInfo(p, s))
	}
	for _, a := range c.bench.Approvals() {
		reply.Approvals = append(reply.Approvals, approvalOf(a))
	}
	for _, q := range c.bench.Questions() {
		reply.Questions = append(reply.Questions, promptOf(q))
	}
	for _, d := range c.bench.Denials() {
		reply.Denials = append(reply.Denials, c.denialInfo(d))
	}
	reply.Turn = c.turnInfo()
	reply.Connects = c.connectInfos()
	return c.reply(http.StatusOK, reply)
}

func (c *call) sessionInfo(p *page, s workbench.Session) sessionInfo {
	act := c.bench.Activity(s.ID)
	info := sessionInfo{
		ID: s.ID, Project: string(s.Project), Since: stamp(s.Since), Grant: grantOf(s.Grant), Added: []grantInfo{}, Words: s.Grant.Words(),
		Canvas: p.appsPath + p.apps.Path(canvas.Visitor{Principal: c.principal, Session: s.ID}, s.Project),
		Calls:  act.Calls, Wrote: append([]string{}, act.Wrote...), ByAgent: s.Agent != "",
	}
	for _, g := range s.Added {
		info.Added = append(info.Added, grantOf(g))
	}
	if act.Last.Func != "" {
		info.Last = &actInfo{act.Last.Func, act.Last.On, stamp(act.Last.Time), string(act.Last.Code)}
	}
	return info
}

func (p *page) setAgent(c *call) error {
	var req agentRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if req.ID != "" {
		if err := checkID(req.ID); err != nil {
			return err
		}
	}
	if err := c.bench.SetAgent(c.r.Context(), sam.ProjectID(req.ID)); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (p *page) listCandidates(c *call) error {
	all := []candidate{}
	for info, err := range c.bench.Workspace().Projects(c.r.Context()) {
		if err != nil {
			return err
		}
		one, err := c.candidate(info.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	return c.reply(http.StatusOK, all)
}

// maxManifest is the most of a sam.json that is read for a proposal.
const maxManifest = 64 << 10

func (c *call) candidate(id sam.ProjectID) (candidate, error) {
	one := candidate{ID: string(id), Kind: projectKind, Wants: grantOf(tool.Grant{})}
	project, err := c.bench.Workspace().Open(c.r.Context(), id)
	if err != nil {
		return one, err
	}
	said := false
	for f, err := range project.Files(c.r.Context(), "") {
		if err != nil {
			return one, err
		}
		one.Size += f.Size
		said = said || f.Name == "sam.json" && f.Size <= maxManifest
	}
	if !said {
		return one, nil
	}
	data, err := project.ReadFile(c.r.Context(), "sam.json")
	if err != nil {
		return one, err
	}
	one.read(data)
	return one, nil
}

// read takes what a sam.json proposes. The person sees and changes it, so what makes no sense is left out.
func (one *candidate) read(data []byte) {
	var said struct {
		Role  string
		Wants struct {
			Paths, Uses []string
			Mode        string
		}
	}
	if json.Unmarshal(data, &said) != nil {
		return
	}
	if said.Role == agentKind || said.Role == toolKind {
		one.Kind = said.Role
	}
	for _, path := range said.Wants.Paths {
		if _, err := tool.MatchPath(path, "x"); err == nil && len(one.Wants.Paths) < 20 {
			one.Wants.Paths = append(one.Wants.Paths, path)
		}
	}
	if len(one.Wants.Paths) > 0 {
		one.Wants.Mode = "read"
		if said.Wants.Mode == "readwrite" {
			one.Wants.Mode = said.Wants.Mode
		}
	}
	for _, use := range said.Wants.Uses {
		if strings.Contains(use, "@") && (tool.Grant{Uses: []string{use}}).Check(time.Now()) == nil && len(one.Wants.Uses) < 20 {
			one.Wants.Uses = append(one.Wants.Uses, use)
		}
	}
}

func (p *page) openTool(c *call) error {
	var req openToolRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := checkID(req.Project); err != nil {
		return err
	}
	g, err := req.Grant.grant()
	if err != nil {
		return err
	}
	s, err := c.bench.OpenTool(c.r.Context(), sam.ProjectID(req.Project), g)
	if err != nil {
		return plain(err)
	}
	return c.reply(http.StatusCreated, c.sessionInfo(p, s))
}

func (p *page) widenTool(c *call) error {
	var req widenRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	g, err := req.Grant.grant()
	if err != nil {
		return err
	}
	s, err := c.bench.Widen(c.r.Context(), c.r.PathValue("session"), g)
	if err != nil {
		return plain(err)
	}
	return c.reply(http.StatusOK, c.sessionInfo(p, s))
}

func (p *page) closeTool(c *call) error {
	if err := c.bench.CloseTool(c.r.Context(), c.r.PathValue("session")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// plain takes the package's name out of what a person reads about a grant.
func plain(err error) error {
	var e *host.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Message, "tool: ") {
		return err
	}
	words := strings.TrimPrefix(e.Message, "tool: ")
	p := *e
	p.Message = strings.ToUpper(words[:1]) + words[1:] + "."
	return &p
}

// covers reports whether a session may be given a grant; see workbench.Bench.Widen.
func covers(s workbench.Session, g tool.Grant) bool {
	return (len(g.Paths) > 0 || len(g.Uses) > 0) && (g.Project == "" || g.Project == s.Grant.Project)
}

// session returns a session of the bench that is open, the agent's included.
func (c *call) openSession(id string) (workbench.Session, bool) {
	all := c.bench.Sessions()
	if i := slices.IndexFunc(all, func(s workbench.Session) bool { return s.ID == id }); i >= 0 {
		return all[i], true
	}
	a := c.bench.Agent()
	return a, a.ID == id && id != ""
}
