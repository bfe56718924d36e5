package playground

import (
	"maps"
	"net/http"
	"slices"
)

// connectReply is the origins that the pages of a project may load from and talk to.
type connectReply struct {
	Origins []string `json:"origins"`
}

// connectInfo is the same of one of several projects.
type connectInfo struct {
	Project string   `json:"project"`
	Origins []string `json:"origins"`
}

func (c *call) connectInfos() []connectInfo {
	all := c.bench.Connected()
	infos := make([]connectInfo, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		infos = append(infos, connectInfo{string(id), all[id]})
	}
	return infos
}

func (p *page) readConnect(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	origins := c.bench.Connects(project.ID())
	return c.reply(http.StatusOK, connectReply{append([]string{}, origins...)})
}

func (p *page) setConnect(c *call) error {
	id, err := c.projectID()
	if err != nil {
		return err
	}
	var req connectReply
	if err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := c.bench.Connect(c.r.Context(), id, req.Origins...); err != nil {
		return err
	}
	return p.readConnect(c)
}
