package bundle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Options says how to bundle functions. Nil is the zero Options.
type Options struct {
	// Modules are the source of modules that the runtime provides, CommonJS
	// or ES, by specifier: "node:fs". Beside them there are always
	// "cloudflare:workers" and the modules of Node that Workers' users need most, such as
	// "node:async_hooks" and "node:buffer", which Modules may replace. A "node:" module can be
	// imported without the prefix where the project has no such package.
	Modules map[string]string

	// NodeGlobals lets code use Buffer, process, setImmediate and clearImmediate without
	// importing them, as the compatibility flag nodejs_compat does on Workers.
	NodeGlobals bool

	// JSXImportSource is the package that JSX is compiled to, unless a
	// tsconfig.json or a comment says otherwise. Empty means "react".
	JSXImportSource string

	// Development defines process.env.NODE_ENV as "development" instead of
	// "production".
	Development bool

	// Rules go before what the extension of an imported file means.
	Rules []Rule

	// Alias has what is imported in the place of a specifier: another one, or a path from the
	// project's root that begins with "./".
	Alias map[string]string

	// Pages are the files in the folder entry that each answer a route, named as those of a Pages
	// project are. Empty means that entry is a file.
	Pages []string

	// Define has constants, JSON or another name, for global names such as
	// "VERSION" or "process.env.MODE".
	Define map[string]string
}

// lowered are the features that the runtime lacks and esbuild can do without.
// Class fields are not among them: lowered, they are three times slower.
func lowered(f api.Format) map[string]bool {
	m := map[string]bool{"top-level-await": f == api.FormatESModule}
	for _, f := range []string{"async-generator", "for-await", "dynamic-import", "import-meta",
		"regexp-unicode-property-escapes", "regexp-match-indices", "regexp-set-notation", "using", "decorators", "hashbang"} {
		m[f] = false
	}
	return m
}

// Functions bundles the ES or CommonJS module at entry, a path in fsys, with
// what it imports. Code is the body of a CommonJS function, to be wrapped as
//
//	(function(module,exports){ Code })
//
// on one line with its first, which holds no source. It sets
// module.exports.default (code that awaits outside of functions does so later, and then the
// function returns a promise), gets the modules of Wasm from globalThis.__samkit_wasm(name),
// and calls globalThis.__samkit_complete, if there is one, with the
// names of what the runtime has to add for it (see [needs]). Source that is wrong, or that the runtime could not
// run, gives an [*Error]; ctx done gives its error.
//
// Resolution is that of bundlers for Workers: relative paths with or without
// extension, folders with an index, packages in node_modules by exports and
// imports (conditions workerd, worker, browser, import or require, default),
// by the browser map, and by module, browser and main; paths of
// tsconfig.json. A path that begins with / is one from the project's root.
func Functions(ctx context.Context, fsys fs.FS, entry string, opts *Options) (*Output, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if !fs.ValidPath(entry) || entry == "." {
		return nil, failure("", fmt.Sprintf("%q is no path of a project", entry), "")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := newBundler(ctx, fsys, entry, o)
	out, err := b.functions()
	return b.again(out, err)
}

func (b *bundler) functions() (*Output, error) {
	out, err := b.bundle()
	if err != nil || b.listening || len(b.opts.Pages) > 0 || !b.listens(out.Code) {
		return out, err
	}
	b.listening = true
	b.reset()
	return b.bundle()
}

func (b *bundler) bundle() (*Output, error) {
	result, err := b.build(api.FormatCommonJS)
	if err != nil {
		return nil, err
	}
	if !awaits(result) {
		return b.output(result, false)
	}
	b.reset()
	if result, err = b.build(api.FormatESModule); err != nil {
		return nil, err
	}
	return b.output(result, true)
}

func (b *bundler) build(f api.Format) (result api.BuildResult, err error) {
	build, cerr := api.Context(b.options(b.tsconfig(), f))
	if cerr != nil {
		return result, &Error{diagnostics(cerr.Errors)}
	}
	// esbuild cannot be interrupted while it parses a file. So a cancelled
	// build is left to end by itself: it reads nothing any more, and is bounded
	// by what it has read.
	done := make(chan api.BuildResult, 1)
	go func() {
		defer build.Dispose()
		done <- build.Rebuild()
	}()
	select {
	case result = <-done:
	case <-b.ctx.Done():
		go build.Cancel() // waits for the build
	}
	if b.ctx.Err() != nil {
		return result, context.Cause(b.ctx)
	}
	if b.stub(result.Errors) {
		b.reset()
		return b.build(f)
	}
	if len(result.Errors) > 0 && !(f == api.FormatCommonJS && awaits(result)) {
		return result, &Error{diagnostics(result.Errors)}
	}
	return result, nil
}

func (b *bundler) options(ts tsconfig, f api.Format) api.BuildOptions {
	env := `"production"`
	if b.opts.Development {
		env = `"development"`
	}
	define := map[string]string{"process.env.NODE_ENV": env, "global": "globalThis"}
	maps.Copy(define, b.opts.Define)
	var inject []string
	if b.opts.NodeGlobals {
		inject = []string{nodeGlobals}
	}
	return api.BuildOptions{
		Inject:              inject,
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: "entry", OutputPath: "functions"}},
		AbsWorkingDir:       nowhere(),
		Outdir:              filepath.Join(nowhere(), "out"),
		Bundle:              true,
		Format:              f,
		Platform:            api.PlatformBrowser,
		Target:              api.ES2022,
		Supported:           lowered(f),
		TreeShaking:         api.TreeShakingTrue,
		Charset:             api.CharsetUTF8,
		LegalComments:       api.LegalCommentsNone,
		Sourcemap:           api.SourceMapExternal,
		SourcesContent:      api.SourcesContentExclude,
		Metafile:            true,
		LogLevel:            api.LogLevelSilent,
		LogLimit:            maxDiagnostics,
		LogOverride:         map[string]api.LogLevel{unsupportedImport: api.LogLevelWarning},
		Define:              define,
		Banner:              map[string]string{"js": directive},
		JSX:                 ts.jsx(),
		JSXFactory:          ts.JSXFactory,
		JSXFragment:         ts.JSXFragmentFactory,
		JSXImportSource:     cmp.Or(ts.JSXImportSource, b.opts.JSXImportSource),
		TsconfigRaw:         ts.raw(),
		Plugins:             []api.Plugin{{Name: "project", Setup: b.setup}},
	}
}

// nowhere returns an absolute path at which nothing should be: esbuild lists
// the folders from its working directory up, and reads the package.json and
// tsconfig.json it finds there, which are not the project's.
func nowhere() string {
	root := "/"
	if runtime.GOOS == "windows" {
		root = `C:\`
	}
	return filepath.Join(root, ".samkit-bundle")
}

// unsupportedImport is esbuild's name of the remark on import(x) of a name
// that is known only at run time.
const unsupportedImport = "unsupported-dynamic-import"

// output checks what esbuild made and gives it our form.
func (b *bundler) output(r api.BuildResult, async bool) (*Output, error) {
	out := &Output{Inputs: slices.Sorted(maps.Keys(b.read))}
	for _, f := range r.OutputFiles {
		if len(f.Contents) > MaxOutput {
			return nil, failure(b.entry, fmt.Sprintf("The bundle has %d bytes, more than %d", len(f.Contents), MaxOutput), "")
		}
		if strings.HasSuffix(f.Path, ".map") {
			out.Map = f.Contents
		} else if strings.HasSuffix(f.Path, ".js") {
			out.Code = f.Contents
		}
	}
	var problems []Diagnostic
	problems = append(problems, b.missing(r.Metafile)...)
	for i, m := range r.Warnings {
		d := diagnostics(r.Warnings[i : i+1])[0]
		vendored := strings.Contains("/"+d.File, "/node_modules/")
		switch {
		case m.ID == unsupportedImport && !vendored:
			d.Text, d.Hint = runtimeName, runtimeNameHint
			problems = append(problems, d)
		case !vendored:
			out.Warnings = append(out.Warnings, d)
		}
	}
	if len(problems) > 0 {
		return nil, &Error{problems}
	}
	var err error
	if out.Map, err = projectSources(out.Map); err != nil {
		return nil, err
	}
	if async {
		if out.Code, err = asyncBody(out.Code); err != nil {
			return nil, err
		}
	}
	out.Code = withNeeds(leanHelpers(out.Code))
	out.Wasm = b.wasmModules(out.Code)
	sum := sha256.Sum256(out.Code)
	out.Hash = hex.EncodeToString(sum[:])
	return out, nil
}

// missing reports the modules that nobody provides and that the code uses:
// those that tree shaking left in.
func (b *bundler) missing(metafile string) []Diagnostic {
	if len(b.absent) == 0 {
		return nil
	}
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct{} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return []Diagnostic{{File: b.entry, Text: "esbuild's account of the bundle cannot be read: " + err.Error()}}
	}
	var out []Diagnostic
	for _, spec := range slices.Sorted(maps.Keys(b.absent)) {
		for _, o := range meta.Outputs {
			if _, used := o.Inputs[nsMissing+":"+spec]; !used {
				continue
			}
			importers := b.absent[spec]
			slices.Sort(importers)
			for _, importer := range slices.Compact(importers) {
				d := b.locate(importer, spec)
				d.Text = fmt.Sprintf("%q is not available in functions", spec)
				d.Hint = "functions run as on Workers: of Node there are only the modules " + nodeNames(b.modules)
				if strings.HasPrefix(spec, "cloudflare:") {
					d.Hint = `of the "cloudflare:" modules there is "cloudflare:workers"`
				}
				out = append(out, d)
			}
		}
	}
	return out
}

// locate finds where a file names a specifier.
func (b *bundler) locate(file, spec string) Diagnostic {
	d := Diagnostic{File: file}
	data, err := fs.ReadFile(b.fsys, file)
	if err != nil {
		return d
	}
	text := string(data)
	at := -1
	for _, quote := range []string{`"`, `'`, "`"} {
		if i := strings.Index(text, quote+spec+quote); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return d
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	d.Line, d.Column, d.LineText = 1+strings.Count(text[:start], "\n"), column(line, at-start), clip(line, 400)
	return d
}

// projectSources strips esbuild's namespace from the sources of a map.
func projectSources(data []byte) ([]byte, error) {
	var m struct {
		Version  int             `json:"version"`
		Sources  []string        `json:"sources"`
		Names    json.RawMessage `json:"names"`
		Mappings string          `json:"mappings"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("bundle: read esbuild's source map: %w", err)
	}
	for i, s := range m.Sources {
		m.Sources[i] = projectPath(s)
	}
	return json.Marshal(m)
}
