package playground

import (
	"net/http"

	"samkit.dev/canvas/workbench"
)

// search looks for a text in the files of a project.
func (p *page) search(c *call) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	q := c.r.URL.Query()
	found, err := workbench.Search(c.r.Context(), project, workbench.Query{
		Text: q.Get("q"), Regex: q.Get("regex") == "1", IgnoreCase: q.Get("case") != "1", Glob: q.Get("glob"), Limit: maxFound,
	})
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, found)
}
