package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// connectPrefix is where the origins of projects stand in [Options.Roles].
const connectPrefix = "connect/"

// maxConnect bounds the origins of a project.
const maxConnect = 20

// Connect says which origins the pages of a project may load from and talk to beside their own,
// as canvas.App.Connect: "https://api.example.com" for an agent that calls a model with its
// person's own key, from the page. A person has to agree first, since what a page knows it can send
// there. The list replaces the former one and is kept where the roles are until the project is deleted;
// no origins take all away. Open pages load again when they lose one, and keep their rights until then. An error says
// which is no origin; it matches fs.ErrNotExist if there is no such project.
func (b *Bench) Connect(ctx context.Context, id sam.ProjectID, origins ...string) error {
	if _, err := b.ws.Open(ctx, id); err != nil {
		return err
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	return b.connect(ctx, id, origins)
}

// connect is Connect; saving is held.
func (b *Bench) connect(ctx context.Context, id sam.ProjectID, origins []string) error {
	if b.isClosed() {
		return ErrClosed
	}
	var list []string
	for _, o := range origins {
		o, err := canonicalOrigin(o)
		if err != nil {
			return err
		}
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	if len(list) > maxConnect {
		return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("A project's pages may talk to %d origins at most.", maxConnect), Hint: "Take some of them away.",
			Details: fmt.Appendf(nil, `{"limit":"connect_origins","value":%d}`, maxConnect)}
	}
	if err := b.saveConnect(ctx, id, list); err != nil {
		return err
	}
	b.mu.Lock()
	before := b.connects[id]
	b.connects[id] = list // apps have the former one
	if len(list) == 0 {
		delete(b.connects, id)
	}
	b.mu.Unlock()
	if slices.ContainsFunc(before, func(o string) bool { return !slices.Contains(list, o) }) {
		b.Reload(id)
	}
	b.roles.publish()
	return nil
}

func (b *Bench) saveConnect(ctx context.Context, id sam.ProjectID, list []string) error {
	if b.opts.Roles == nil {
		return nil
	}
	op := sam.Op{Key: connectPrefix + string(id), Delete: len(list) == 0, If: sam.Any}
	if !op.Delete {
		op.Value = asJSON(list)
	}
	if _, err := b.opts.Roles.Commit(ctx, op); err != nil {
		return fmt.Errorf("workbench: keep the origins of %s: %w", id, err)
	}
	return nil
}

// Connects returns the origins that [Bench.Connect] or an answer to HOST.ui.connect gave a project.
func (b *Bench) Connects(id sam.ProjectID) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.connects[id])
}

// Connected returns the origins of all projects that have some; see [Bench.Connects].
func (b *Bench) Connected() map[sam.ProjectID][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(map[sam.ProjectID][]string, len(b.connects))
	for id, list := range b.connects {
		all[id] = slices.Clone(list)
	}
	return all
}

// loadConnects takes the origins that were kept; those of projects that are gone are void.
func (b *Bench) loadConnects(ctx context.Context) error {
	for e, err := range b.opts.Roles.List(ctx, connectPrefix, "") {
		if err == nil {
			err = b.loadConnect(ctx, e.Key)
		}
		if err != nil {
			return fmt.Errorf("workbench: read what pages may talk to: %w", err)
		}
	}
	return nil
}

func (b *Bench) loadConnect(ctx context.Context, key string) error {
	id := sam.ProjectID(strings.TrimPrefix(key, connectPrefix))
	if ok, err := b.exists(ctx, id); err != nil {
		return err
	} else if !ok {
		return b.saveConnect(ctx, id, nil)
	}
	value, _, err := b.opts.Roles.Get(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var list []string
	if err == nil {
		err = json.Unmarshal(value, &list)
	}
	b.connects[id] = list
	return err
}

// canonicalOrigin returns scheme, host and port as browsers write them. One host is meant, and by its
// name: no wildcard, no path.
func canonicalOrigin(s string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.User != nil, strings.Trim(u.Path, "/") != "", u.RawQuery != "" || u.ForceQuery, u.Fragment != "":
	case u.Hostname() == "" || strings.Trim(strings.ToLower(u.Host), "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]") != "" || len(u.Host) > 260:
	default:
		host := strings.ToLower(u.Host)
		if port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]; u.Port() != "" {
			host = strings.TrimSuffix(host, port)
		}
		return u.Scheme + "://" + strings.TrimSuffix(host, ":"), nil
	}
	return "", &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no origin such as \"https://api.example.com\".", shorten(s, 0, 100))}
}

// The answers to Connect prompts.
const (
	allowAnswer = "allow"
	denyAnswer  = "deny"
)

type uiConnectIn struct {
	Origin    string `json:"origin" jsonschema:"such as https://api.example.com"`
	TimeoutMS int    `json:"timeoutMs,omitempty" jsonschema:"milliseconds; 60000 if left out"`
}

type uiConnectOut struct {
	Allowed bool   `json:"allowed"`
	Origin  string `json:"origin"`
}

// uiConnect asks the person for what Bench.Connect gives. The question is the workbench's own: of the agent's it has nothing
// but the origin.
func uiConnect(ctx context.Context, in uiConnectIn) (uiConnectOut, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return uiConnectOut{}, err
	}
	origin, err := canonicalOrigin(in.Origin)
	if err != nil {
		return uiConnectOut{}, err
	}
	out := uiConnectOut{Allowed: true, Origin: origin}
	if slices.Contains(s.b.Connects(s.Project), origin) {
		return out, nil
	}
	p := s.newPrompt(Connect)
	p.Project, p.Origin, p.Choices = s.Project, origin, []string{allowAnswer, denyAnswer}
	answer, answered, err := s.b.board.ask(ctx, p, waitFor(in.TimeoutMS, defaultAskWait, maxAskWait))
	if out.Allowed = answered && answer == allowAnswer; err != nil || !out.Allowed {
		return out, err
	}
	s.b.saving.Lock()
	defer s.b.saving.Unlock()
	if s.b.Agent().ID != s.ID {
		return uiConnectOut{}, errEnded // whoever agreed meant an agent
	}
	return out, toHost(s.b.connect(context.WithoutCancel(ctx), s.Project, append(s.b.Connects(s.Project), origin)))
}
