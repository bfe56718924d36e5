package workbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// maxAgentProjects bounds the projects of a bench that agents made.
const maxAgentProjects = 100

// defineProjects registers env.HOST.projects.
func defineProjects(b *Bench, c *host.Capability) {
	host.Register(c, "list", "Lists the projects of the workbench, and the templates for new ones.", listProjects, host.Reads)
	host.Register(c, "create", "Makes a project, from a template if one is named. The agent may delete it.", createProject)
	host.Register(c, "clone", "Makes a project with the files of another, and with state its KV and databases; never its secrets. The agent may delete it.", cloneProject)
	definePackages(c)
	host.Register(c, "open", "Makes a project the work project.", openProject)
	host.Register(c, "delete", "Deletes a project that an agent made, with its state and history.", deleteProject)
}

// A projectInfo is a project as code sees it.
type projectInfo struct {
	ID           sam.ProjectID `json:"id"`
	AgentManaged bool          `json:"agentManaged"`
	Created      string        `json:"created"`
}

func newProjectInfo(i sam.Info) projectInfo {
	return projectInfo{i.ID, i.AgentManaged, isoTime(i.Created)}
}

type listProjectsOut struct {
	Projects  []projectInfo `json:"projects"`
	Work      sam.ProjectID `json:"work,omitempty"`
	Agent     sam.ProjectID `json:"agent" jsonschema:"the one that calls; it can't change itself"`
	Templates []string      `json:"templates"`
	More      bool          `json:"more,omitempty"`
}

func listProjects(ctx context.Context, _ nothing) (listProjectsOut, error) {
	out := listProjectsOut{Projects: []projectInfo{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	for i, err := range s.b.ws.Projects(ctx) {
		if err != nil {
			return out, toHost(err)
		}
		if len(out.Projects) == maxListed {
			out.More = true
			break
		}
		out.Projects = append(out.Projects, newProjectInfo(i))
	}
	out.Work, out.Agent = s.b.Work(), s.Project
	out.Templates = slices.AppendSeq([]string{}, maps.Keys(s.b.opts.Templates))
	slices.Sort(out.Templates)
	return out, nil
}

type createProjectIn struct {
	Name     sam.ProjectID `json:"name" jsonschema:"a-z, 0-9 and -"`
	Template string        `json:"template,omitempty"`
}

func createProject(ctx context.Context, in createProjectIn) (projectInfo, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return projectInfo{}, err
	}
	files := s.b.opts.Templates[in.Template]
	if files == nil && in.Template != "" {
		return projectInfo{}, &host.Error{Code: host.NotFound, Message: fmt.Sprintf("There is no template %q.", in.Template), Hint: "projects.list shows them."}
	}
	return s.makeProject(ctx, func() (*sam.Project, error) { return s.b.ws.Create(ctx, in.Name, files) })
}

type cloneProjectIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Name    sam.ProjectID `json:"name" jsonschema:"of the copy"`
	State   bool          `json:"state,omitempty"`
}

func cloneProject(ctx context.Context, in cloneProjectIn) (projectInfo, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return projectInfo{}, err
	}
	return s.makeProject(ctx, func() (*sam.Project, error) { return s.b.ws.Clone(ctx, p.ID(), in.Name, stateParts(in.State)) })
}

// makeProject makes a project that the agent may delete. If it can't be marked as such there is none.
func (s *session) makeProject(ctx context.Context, fn func() (*sam.Project, error)) (projectInfo, error) {
	b := s.b
	b.making.Lock()
	defer b.making.Unlock()
	n := 0
	for i, err := range b.ws.Projects(ctx) {
		if err != nil {
			return projectInfo{}, toHost(err)
		}
		if i.AgentManaged {
			n++
		}
	}
	if n >= maxAgentProjects {
		return projectInfo{}, &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("Agents have made %d projects.", n), Hint: "Delete some of them.",
			Details: fmt.Appendf(nil, `{"limit":"agent_projects","value":%d}`, maxAgentProjects)}
	}
	p, err := fn()
	if err != nil {
		return projectInfo{}, toHost(err)
	}
	ctx = context.WithoutCancel(ctx) // it is marked, or gone
	if err := p.SetAgentManaged(ctx, true); err != nil {
		return projectInfo{}, errors.Join(err, b.ws.Delete(ctx, p.ID()))
	}
	b.roles.publish()
	i, err := p.Info(ctx)
	return newProjectInfo(i), toHost(err)
}

type projectIn struct {
	Project sam.ProjectID `json:"project"`
}

func openProject(ctx context.Context, in projectIn) (nothing, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nothing{}, err
	}
	if in.Project == "" {
		return nothing{}, &host.Error{Code: host.Invalid, Message: "Name a project."}
	}
	before := s.b.Work()
	if err := s.b.SetWork(ctx, in.Project); err != nil {
		return nothing{}, toHost(err)
	}
	if before != in.Project {
		p := s.newPrompt(SwitchWork)
		p.Project = in.Project
		s.b.board.post(p)
	}
	return nothing{}, nil
}

func deleteProject(ctx context.Context, in projectIn) (nothing, error) {
	s, err := sessionOf(ctx)
	if err == nil {
		err = s.mayChange(in.Project)
	}
	if err != nil {
		return nothing{}, err
	}
	s.b.making.Lock() // what is deleted is what was looked at, and no new project of the name
	defer s.b.making.Unlock()
	p, err := s.b.ws.Open(ctx, in.Project)
	if err != nil {
		return nothing{}, toHost(err)
	}
	i, err := p.Info(ctx)
	if err != nil {
		return nothing{}, toHost(err)
	}
	if !i.AgentManaged {
		return nothing{}, &host.Error{Code: host.Denied, Message: fmt.Sprintf("No agent made the project %s, so none may delete it.", in.Project), Hint: "Ask the person to delete it."}
	}
	return nothing{}, toHost(s.b.deleteProject(ctx, in.Project))
}
