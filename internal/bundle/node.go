package bundle

import (
	"embed"
	"maps"
	"path"
	"slices"
	"strings"
)

// nodeFiles are the modules of Node that there are, in JavaScript. They need
// globalThis.__samkit_node of the runtime.
//
//go:embed node/*.js
var nodeFiles embed.FS

// nodeGlobals is the path of a module whose exports stand for free names of the code.
const nodeGlobals = "samkit:node-globals"

const nodeGlobalsSource = `export { Buffer } from "node:buffer"
export { default as process } from "node:process"
export { setImmediate, clearImmediate } from "node:timers"
`

// provided returns the modules that the runtime provides, with those of the
// options.
func provided(more map[string]string) map[string]string {
	modules := map[string]string{"cloudflare:workers": cloudflareWorkers, nodeGlobals: nodeGlobalsSource, listenersModule: listenersRuntime, pagesModule: pagesRouter}
	entries, err := nodeFiles.ReadDir("node")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, e := range entries {
		data, err := nodeFiles.ReadFile(path.Join("node", e.Name()))
		if err != nil {
			panic(err)
		}
		name := strings.ReplaceAll(strings.TrimSuffix(e.Name(), ".js"), "timers_", "timers/")
		modules["node:"+name] = string(data)
	}
	modules["node:path/posix"] = modules["node:path"]
	modules["node:assert/strict"] = `module.exports = require("node:assert").strict`
	modules["node:util/types"] = `module.exports = require("node:util").types`
	for k, v := range more {
		modules[k] = v
	}
	return modules
}

// nodeNames lists the modules of Node among the provided ones.
func nodeNames(modules map[string]string) string {
	var names []string
	for _, spec := range slices.Sorted(maps.Keys(modules)) {
		if name, ok := strings.CutPrefix(spec, "node:"); ok {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
