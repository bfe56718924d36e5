package playground

import (
	"embed"
	"io/fs"
)

//go:embed templates
var templateFiles embed.FS

// A template is the files that a new project begins with.
type template struct {
	templateInfo
	files fs.FS
}

// What a template is for, as the page groups them.
const (
	projectKind = "project"
	agentKind   = "agent" // plays the role of the agent: its page needs env.HOST
	toolKind    = "tool"  // is opened on another project: its page needs env.TOOL
)

// loadTemplates returns the templates in the order in which they are shown.
func loadTemplates() []template {
	infos := []templateInfo{
		{"notes", projectKind, "Notes with DB", "A list, an editor, a router and a SQL table"},
		{"static", projectKind, "Static page", "HTML, CSS and one module. No API"},
		{"api", projectKind, "API with KV", "Routes, validation, counters that stay"},
		{"game", projectKind, "Canvas game", "A loop, keys and touch, a high score in KV"},
		{"blank", projectKind, "Blank", "index.html and nothing else"},
	}
	templates := make([]template, len(infos))
	for i, info := range infos {
		sub, err := fs.Sub(templateFiles, "templates/"+info.ID)
		if err != nil {
			panic(err) // embedded
		}
		templates[i] = template{info, sub}
	}
	return templates
}

func (p *page) template(id string) (template, bool) {
	for _, t := range p.templates {
		if t.ID == id {
			return t, true
		}
	}
	return template{}, false
}
