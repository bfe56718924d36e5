package playground

import (
	"embed"
	"io/fs"

	"samkit.dev/sam"
)

//go:embed templates vendor
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

// loadTemplates returns the templates in the order in which they are shown. Each has the files of the folder of its
// name, over those of another folder that it goes on from, and a library as vendor/NAME.js.
func loadTemplates() []template {
	infos := []struct {
		templateInfo
		from, library string
	}{
		{templateInfo{"notes", projectKind, "Notes with DB", "A list, an editor, a router and a SQL table"}, "", ""},
		{templateInfo{"static", projectKind, "Static page", "HTML, CSS and one module. No API"}, "", ""},
		{templateInfo{"react", projectKind, "React", "Components in JSX, with no build"}, "", "react"},
		{templateInfo{"hono", projectKind, "Hono API with KV", "A poll: routes, validation, votes that stay"}, "", "hono"},
		{templateInfo{"api", projectKind, "API with KV", "Routes, validation, counters that stay"}, "", ""},
		{templateInfo{"game", projectKind, "Canvas game", "A loop, keys and touch, a high score in KV"}, "", ""},
		{templateInfo{"blank", projectKind, "Blank", "index.html and nothing else"}, "", ""},
		{templateInfo{"agent-coder", agentKind, "Coding agent", "Edit, reload, read the console, repair"}, "", ""},
		{templateInfo{"agent-data", agentKind, "Data agent", "Asks your CSV and JSON files with SQL"}, "agent-coder", ""},
		{templateInfo{"tool-markdown", toolKind, "Markdown", "Read and write notes side by side, tick tasks"}, "tool", ""},
		{templateInfo{"tool-table", toolKind, "Table", "Rows and columns of CSV and TSV files"}, "tool", ""},
		{templateInfo{"tool-json", toolKind, "JSON", "A tree to unfold, and values to change in place"}, "tool", ""},
	}
	templates := make([]template, len(infos))
	for i, info := range infos {
		files := sam.Files{}
		if info.from != "" {
			addTemplate(files, info.from)
		}
		addTemplate(files, info.ID)
		if info.library != "" {
			data, err := templateFiles.ReadFile("vendor/" + info.library + ".js")
			if err != nil {
				panic(err) // embedded
			}
			files["vendor/"+info.library+".js"] = string(data)
		}
		templates[i] = template{info.templateInfo, files}
	}
	return templates
}

// addTemplate puts the files of a folder into files.
func addTemplate(files sam.Files, folder string) {
	root, err := fs.Sub(templateFiles, "templates/"+folder)
	if err == nil {
		err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(root, name)
			files[name] = string(data)
			return err
		})
	}
	if err != nil {
		panic(err) // embedded
	}
}

func (p *page) template(id string) (template, bool) {
	for _, t := range p.templates {
		if t.ID == id {
			return t, true
		}
	}
	return template{}, false
}
