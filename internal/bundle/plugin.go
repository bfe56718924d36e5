package bundle

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// The namespaces of esbuild's paths.
const (
	nsProject = "project" // files of the project
	nsModule  = "module"  // provided by the runtime
	nsEmpty   = "empty"   // a browser map says false
)

// A bundler is one build. esbuild calls its plugin from many goroutines.
type bundler struct {
	ctx     context.Context // of the build, which is over before Functions returns
	fsys    fs.FS
	entry   string
	opts    Options
	modules map[string]string

	lenient   bool // see optional
	listening bool // the entry is a Worker of the old form

	mu       sync.Mutex // guards what follows
	tried    bool       // see optional
	read     map[string]bool
	bytes    int64
	absent   map[string][]string // specifier → importers
	packages map[string]*packageJSON
	stats    map[string]fileKind
	paths    *pathMap // of tsconfig.json
	wasm     map[string][]byte
	required map[naming]bool // absent modules that were left to esbuild
	stubbed  map[naming]bool // those of them that are stubs now; outlives reset
}

func newBundler(ctx context.Context, fsys fs.FS, entry string, o Options) *bundler {
	b := &bundler{ctx: ctx, fsys: fsys, entry: entry, opts: o, modules: provided(o.Modules), stubbed: map[naming]bool{}}
	b.reset()
	return b
}

// reset forgets a build, before another one.
func (b *bundler) reset() {
	b.read, b.bytes, b.absent = map[string]bool{}, 0, map[string][]string{}
	b.packages, b.stats, b.paths = map[string]*packageJSON{}, map[string]fileKind{}, nil
	b.wasm, b.required = map[string][]byte{}, map[naming]bool{}
}

// cloudflareWorkers is the module of that name. The runtime sets
// globalThis.__samkit_env to the env of the handler that runs.
const cloudflareWorkers = `class Entrypoint { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }
module.exports = {
  get env() { return globalThis.__samkit_env; },
  WorkerEntrypoint: class WorkerEntrypoint extends Entrypoint {},
  DurableObject: class DurableObject extends Entrypoint {},
  WorkflowEntrypoint: class WorkflowEntrypoint extends Entrypoint {},
  RpcTarget: class RpcTarget {},
  waitUntil(promise) { globalThis.__samkit_waitUntil?.(promise); },
};
`

func (b *bundler) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (res api.OnResolveResult, err error) {
		defer b.guard(a.Path, &err)
		return b.onResolve(a)
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*"}, func(a api.OnLoadArgs) (res api.OnLoadResult, err error) {
		defer b.guard(a.Path, &err)
		return b.onLoad(a)
	})
}

// guard keeps a panic of the embedder's fs.FS, on a goroutine of esbuild's,
// from ending the process.
func (b *bundler) guard(what string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("reading the project for %q failed: %v", clip(what, 200), p)
	}
}

func (b *bundler) onResolve(a api.OnResolveArgs) (api.OnResolveResult, error) {
	if err := b.ctx.Err(); err != nil {
		return api.OnResolveResult{}, err
	}
	if a.Kind == api.ResolveEntryPoint && a.Path == nodeGlobals {
		return api.OnResolveResult{Path: nodeGlobals, Namespace: nsModule, SideEffects: api.SideEffectsFalse}, nil
	}
	if a.Kind == api.ResolveEntryPoint && len(b.opts.Pages) > 0 {
		return api.OnResolveResult{Path: pagesEntry, Namespace: nsModule}, nil
	}
	if a.Kind == api.ResolveEntryPoint {
		if b.kind(b.entry) != isFile {
			return problem(failure(b.entry, "There is no such file", ""))
		}
		if b.listening {
			return api.OnResolveResult{Path: listenersEntry, Namespace: nsModule}, nil
		}
		return api.OnResolveResult{Path: b.marked(b.entry), Namespace: nsProject}, nil
	}
	if a.Namespace == nsModule && a.Importer == listenersEntry && a.Path != listenersModule {
		return api.OnResolveResult{Path: b.marked(b.entry), Namespace: nsProject}, nil // for its side effects
	}
	from := ""
	if a.Namespace == nsProject {
		from = unmarked(a.Importer)
	}
	t, err := b.resolve(from, a.Path, a.Kind == api.ResolveJSRequireCall || a.Kind == api.ResolveJSRequireResolve)
	if err != nil && b.optional(a) {
		return api.OnResolveResult{}, nil
	}
	if err != nil {
		return problem(err)
	}
	if t.namespace == nsMissing {
		if t.namespace = b.absence(a.Kind, from, a.Path); t.namespace == "" {
			b.mu.Lock()
			b.required[naming{from, a.Path}] = true
			b.mu.Unlock()
			return api.OnResolveResult{}, nil
		}
	}
	res := api.OnResolveResult{Path: t.path, Namespace: t.namespace}
	if t.namespace == nsMissing || t.namespace == nsStub || t.namespace == nsEmpty || t.namespace == nsModule && strings.HasPrefix(t.path, "node:") || t.namespace == nsProject && !b.sideEffects(t.path) {
		res.SideEffects = api.SideEffectsFalse
	}
	if t.namespace == nsMissing {
		b.mu.Lock()
		b.absent[t.path] = append(b.absent[t.path], from)
		b.mu.Unlock()
	}
	if t.namespace == nsProject {
		res.Path = b.marked(t.path)
	}
	return res, nil
}

// problem words an error for esbuild, which adds the place of the import.
func problem(err error) (api.OnResolveResult, error) {
	if e, ok := err.(*Error); ok {
		d := e.Diagnostics[0]
		m := api.Message{Text: d.Text}
		if d.File != "" {
			m.Detail = &d
		} else if d.Hint != "" {
			m.Notes = []api.Note{{Text: d.Hint}}
		}
		return api.OnResolveResult{Errors: []api.Message{m}}, nil
	}
	return api.OnResolveResult{}, err
}

func (b *bundler) onLoad(a api.OnLoadArgs) (api.OnLoadResult, error) {
	switch a.Namespace {
	case nsModule:
		if a.Path == pagesEntry {
			text, err := pagesEntrySource(b.entry, b.opts.Pages)
			return source(text, api.LoaderJS), err
		}
		if a.Path == listenersEntry {
			return source(listenersEntrySource(b.entry), api.LoaderJS), nil
		}
		return source(b.modules[a.Path], api.LoaderJS), nil
	case nsEmpty:
		return source("", api.LoaderJS), nil
	case nsMissing, nsThrowing, nsStub:
		return source(absentModule(a.Namespace, a.Path), api.LoaderJS), nil
	case nsProject:
	default:
		return api.OnLoadResult{}, fmt.Errorf("%q is outside the project", a.Path)
	}
	name := unmarked(a.Path)
	format, loader, err := b.formatOf(name, a.With["type"])
	switch {
	case err != nil:
		return loadProblem(err)
	case format == formatWasm:
		return b.loadWasm(name)
	case format == formatData:
		return source(dataModule(name), api.LoaderJS), nil
	}
	data, err := b.load(name)
	if err != nil {
		return loadProblem(err)
	}
	if isCode(loader) {
		check := checkNesting
		if loader == api.LoaderJSON {
			check = checkJSON
		}
		if err := check(name, data); err != nil {
			return loadProblem(err)
		}
		if loader != api.LoaderJSON {
			if data, err = withoutPatterns(name, data, loader); err != nil {
				return loadProblem(err)
			}
		}
	}
	if isCode(loader) && loader != api.LoaderJSON {
		data = withoutMap(data)
	}
	return source(string(data), loader), nil
}

// withoutMap ends src with a comment that names no source map, if another one
// may: esbuild opens what the last such comment names, anywhere on the
// machine. Positions are to be in the files as they are in the project anyway.
func withoutMap(src []byte) []byte {
	if !bytes.Contains(src, []byte("sourceMappingURL")) {
		return src
	}
	return append(bytes.Clone(src), "\n//# sourceMappingURL=none:\n"...)
}

func source(text string, loader api.Loader) api.OnLoadResult {
	return api.OnLoadResult{Contents: &text, Loader: loader}
}

func loadProblem(err error) (api.OnLoadResult, error) {
	r, err := problem(err)
	return api.OnLoadResult{Errors: r.Errors}, err
}

// load reads a file of the project and counts it against the limits.
func (b *bundler) load(name string) ([]byte, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	info, err := fs.Stat(b.fsys, name)
	if err != nil {
		return nil, failure(name, "The file cannot be read: "+err.Error(), "")
	}
	if info.Size() > MaxFile {
		return nil, failure(name, fmt.Sprintf("The file has %d bytes, more than %d", info.Size(), MaxFile), "")
	}
	data, err := fs.ReadFile(b.fsys, name)
	if err != nil {
		return nil, failure(name, "The file cannot be read: "+err.Error(), "")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read[name] = true; len(b.read) > MaxFiles {
		return nil, failure(b.entry, fmt.Sprintf("More than %d files are imported", MaxFiles), "")
	}
	if b.bytes += int64(len(data)); b.bytes > MaxInput || len(data) > MaxFile {
		return nil, failure(b.entry, fmt.Sprintf("The files imported have more than %d bytes", MaxInput), "")
	}
	return data, nil
}

// loaderOf says what importing a file means, by its extension.
func loaderOf(name, attribute string) (api.Loader, error) {
	switch attribute {
	case "text":
		return api.LoaderText, nil
	case "bytes":
		return api.LoaderBinary, nil
	case "json":
		return api.LoaderJSON, nil
	}
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".js", ".mjs", ".cjs", ".jsx":
		return api.LoaderJSX, nil
	case ".ts", ".mts", ".cts":
		return api.LoaderTS, nil
	case ".tsx":
		return api.LoaderTSX, nil
	case ".json":
		return api.LoaderJSON, nil
	case ".wasm":
		return api.LoaderCopy, nil
	case ".txt", ".html", ".htm", ".css", ".svg", ".md", ".sql", ".csv", ".xml", ".yaml", ".yml", ".toml",
		".graphql", ".gql", ".hbs", ".mustache", ".ejs", ".liquid", ".pem", ".glsl":
		return api.LoaderText, nil
	case ".bin", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".woff", ".woff2", ".ttf", ".otf", ".pdf", ".zip", ".gz":
		return api.LoaderBinary, nil
	case "":
		return api.LoaderJSX, nil
	default:
		return 0, failure("", fmt.Sprintf("%q: files of type %s cannot be imported", name, ext), `say how: with {type: "text"} or with {type: "bytes"}`)
	}
}

func isCode(l api.Loader) bool { return l != api.LoaderText && l != api.LoaderBinary }
