package workbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// wanted makes the grant of a refusal the narrowest with which the whole call would be permitted: a set knows what
// it was asked for, file by file, and not what else the arguments name. If neither the call nor the session's grant names a
// project, the grant does not, either: that is for whoever opens the session, who means the work project, and nothing that a tool may know.
func (s *session) wanted(name string, args json.RawMessage, err error) error {
	var denied *host.Error
	if s.role != host.Tool || !errors.As(err, &denied) || denied.Code != host.Denied {
		return err
	}
	f, builtin, ok := s.b.toolOffer.find(name)
	select {
	case <-s.set.Done(): // no grant of this session would do
		return err
	default:
	}
	if noFiles := f.Files && s.Grant.Mode == 0; !ok || len(denied.Grant) == 0 && !noFiles {
		return err
	}
	var in struct {
		Project sam.ProjectID `json:"project"`
		Path    string        `json:"path"`
		To      string        `json:"to"`
		Changes []struct {
			Path string `json:"path"`
			To   string `json:"to"`
		} `json:"changes"`
	}
	if json.Unmarshal(args, &in) != nil && len(args) > 0 {
		return err
	}
	g := tool.Grant{}
	if builtin {
		if g.Project = in.Project; g.Project == "" {
			g.Project = s.Grant.Project
		}
	}
	if f.Files {
		names := []string{in.Path, in.To}
		for _, c := range in.Changes {
			names = append(names, c.Path, c.To)
		}
		for _, n := range names {
			if p := tool.Literal(n); n != "" && !slices.Contains(g.Paths, p) {
				g.Paths = append(g.Paths, p)
			}
		}
		switch {
		case len(g.Paths) > tool.MaxPaths:
			return err
		case len(g.Paths) == 0:
			g.Paths = []string{"**"}
		}
		if g.Mode = tool.ReadWrite; f.Reads {
			g.Mode = tool.Read
		}
	} else {
		g.Uses = []string{fmt.Sprintf("%s@%d.%s", f.Capability, f.Version, f.Name)}
	}
	e := *denied
	e.Grant, e.Hint = asJSON(g), "It would need a grant: "+g.Words()
	return &e
}

// aimed names the work project in a grant that is about a project and names none.
func (b *Bench) aimed(g tool.Grant) tool.Grant {
	about := len(g.Paths) > 0
	for _, u := range g.Uses {
		group, _, _ := strings.Cut(u, "@")
		about = about || b.toolOffer.builtin.Get(group, 1) != nil
	}
	if about && g.Project == "" {
		g.Project = b.Work()
	}
	return g
}

// find returns the function that a call names, of its oldest version unless it says one, and whether it is a built-in one.
func (o *offer) find(name string) (f host.Func, builtin, ok bool) {
	group, fn, _ := strings.Cut(name, ".")
	group, version, _ := strings.Cut(group, "@")
	for g := range o.Funcs() {
		if g.Capability == group && g.Name == fn && (version == "" || version == fmt.Sprint(g.Version)) && (!ok || g.Version < f.Version) {
			f, ok = g, true
		}
	}
	return f, ok && o.builtin.Get(f.Capability, 1) != nil, ok
}
