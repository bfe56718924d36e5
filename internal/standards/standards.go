// Package standards has tests of the Web APIs that follow the algorithms of their
// specifications (WHATWG, W3C, RFC) area by area: those whose Web Platform Tests
// workerd runs. The tests are JavaScript, so that workerd can run them as well.
package standards

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed js
var js embed.FS

// Entry is the file of [Area.Files] that a worker is made of.
const Entry = "worker.js"

// An Area is a worker that runs the tests of an area and answers with the
// [Result] of each as JSON.
type Area struct {
	Name  string
	Files map[string]string // by path; Entry imports the others
}

// A Result is what came of a test.
type Result struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Error string `json:"error"` // if not OK
}

// Areas returns all areas by name.
func Areas() ([]Area, error) {
	harness, err := js.ReadFile("js/harness.js")
	if err != nil {
		return nil, err
	}
	dirs, err := fs.ReadDir(js, "js")
	if err != nil {
		return nil, err
	}
	var areas []Area
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		a := Area{Name: dir.Name(), Files: map[string]string{"harness.js": string(harness)}}
		var entry strings.Builder
		files, err := fs.Glob(js, path.Join("js", dir.Name(), "*.js"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			data, err := js.ReadFile(name)
			if err != nil {
				return nil, err
			}
			name = strings.TrimPrefix(name, "js/")
			a.Files[name] = string(data)
			fmt.Fprintf(&entry, "import %q\n", "./"+name)
		}
		entry.WriteString("export { worker as default } from \"./harness.js\"\n")
		a.Files[Entry] = entry.String()
		areas = append(areas, a)
	}
	return areas, nil
}
