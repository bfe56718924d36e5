package playground

import (
	"net/http"

	"samkit.dev/canvas"
	"samkit.dev/sam"
)

func (p *page) session(c *call) error {
	return c.reply(http.StatusOK, sessionReply{
		Token: p.token(c.principal), Principal: c.principal,
		Isolation: c.bench.Engine().Stats().Isolation.String(), Repos: p.repos != nil, Terminals: c.bench.Terminals(),
	})
}

func (p *page) listTemplates(c *call) error {
	infos := make([]templateInfo, len(p.templates))
	for i, t := range p.templates {
		infos[i] = t.templateInfo
	}
	return c.reply(http.StatusOK, infos)
}

func (p *page) listProjects(c *call) error {
	reply := projectsReply{Projects: []string{}, Work: string(c.bench.Work())}
	for info, err := range c.bench.Workspace().Projects(c.r.Context()) {
		if err != nil {
			return err
		}
		reply.Projects = append(reply.Projects, string(info.ID))
	}
	return c.reply(http.StatusOK, reply)
}

func (p *page) createProject(c *call) error {
	var req createRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	t, ok := p.template(req.Template)
	if !ok {
		return notFound("There is no such template.")
	}
	if err := checkID(req.ID); err != nil {
		return err
	}
	project, err := c.bench.Create(c.r.Context(), sam.ProjectID(req.ID), t.files)
	if err != nil {
		return err
	}
	return c.showProject(p, project, http.StatusCreated)
}

// checkID refuses what is no project's name, in words for a person who types one.
func checkID(id string) error {
	if sam.ProjectID(id).Check() != nil {
		return invalid("A project's name has 1 to 63 of the characters a-z, 0-9 and -, and does not begin or end with -.")
	}
	return nil
}

func (p *page) deleteProject(c *call) error {
	id, err := c.projectID()
	if err != nil {
		return err
	}
	if err := c.bench.Delete(c.r.Context(), id); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (p *page) setWork(c *call) error {
	var req workRequest
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if req.ID != "" {
		if err := checkID(req.ID); err != nil {
			return err
		}
	}
	if err := c.bench.SetWork(c.r.Context(), sam.ProjectID(req.ID)); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (p *page) showProject(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	return c.showProject(p, project, http.StatusOK)
}

func (c *call) showProject(p *page, project *sam.Project, status int) error {
	reply := projectReply{ID: string(project.ID()), Files: []fileInfo{}}
	reply.Canvas = p.appsPath + p.apps.Path(canvas.Visitor{Principal: c.principal}, project.ID())
	for f, err := range project.Files(c.r.Context(), "") {
		if err != nil {
			return err
		}
		reply.Files = append(reply.Files, infoOf(f))
	}
	return c.reply(status, reply)
}

func infoOf(f sam.File) fileInfo { return fileInfo{Name: f.Name, Size: f.Size, Hash: f.Hash} }

// projectID returns the project that the path names.
func (c *call) projectID() (sam.ProjectID, error) {
	id := c.r.PathValue("id")
	if err := checkID(id); err != nil {
		return "", err
	}
	return sam.ProjectID(id), nil
}

func (c *call) project() (*sam.Project, error) {
	id, err := c.projectID()
	if err != nil {
		return nil, err
	}
	return c.bench.Workspace().Open(c.r.Context(), id)
}

func (p *page) reloadCanvas(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	p.apps.Reload(project.ID())
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
