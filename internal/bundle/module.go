package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A MapKind says where the source map of a module goes.
type MapKind uint8

// The kinds. The zero MapKind makes none.
const (
	NoMap       MapKind = iota
	InlineMap           // at the end of Code, as a data URL, with the source
	ExternalMap         // in Output.Map, without the source
)

// ModuleOptions says how to transform a module. Nil is the zero ModuleOptions.
type ModuleOptions struct {
	// JSXImportSource is the package that JSX is compiled to, unless a
	// comment in the source says otherwise. Empty means "react".
	JSXImportSource string

	Map MapKind
}

// Module transforms one file for the browser: types go, JSX becomes calls
// (of the automatic runtime, imported from JSXImportSource), imports stay as
// written. The loader follows from the extension of name: .ts .mts .cts .tsx
// .jsx .js .mjs. Wrong source gives an [*Error].
func Module(name string, src []byte, opts *ModuleOptions) (*Output, error) {
	var o ModuleOptions
	if opts != nil {
		o = *opts
	}
	if !fs.ValidPath(name) {
		return nil, failure("", fmt.Sprintf("%q is no path of a project", name), "")
	}
	loader, err := loaderOf(name, "")
	if err != nil || !isCode(loader) || loader == api.LoaderJSON {
		return nil, failure(name, fmt.Sprintf("Files of type %q are no modules", path.Ext(name)), "")
	}
	if len(src) > MaxFile {
		return nil, failure(name, fmt.Sprintf("The file has %d bytes, more than %d", len(src), MaxFile), "")
	}
	if err := checkNesting(name, src); err != nil {
		return nil, err
	}
	t := api.TransformOptions{
		Loader: loader, Sourcefile: name, Target: api.ES2022, Charset: api.CharsetUTF8,
		JSX: api.JSXAutomatic, JSXImportSource: cmp.Or(o.JSXImportSource, "react"),
		LogLevel: api.LogLevelSilent, LogLimit: maxDiagnostics, TsconfigRaw: "{}",
	}
	switch o.Map {
	case InlineMap:
		t.Sourcemap = api.SourceMapInline
	case ExternalMap:
		t.Sourcemap, t.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	}
	r := api.Transform(string(withoutMap(src)), t)
	if len(r.Errors) > 0 {
		return nil, &Error{diagnostics(r.Errors)}
	}
	if len(r.Code) > MaxOutput {
		return nil, failure(name, fmt.Sprintf("The module has %d bytes, more than %d", len(r.Code), MaxOutput), "")
	}
	sum := sha256.Sum256(r.Code)
	out := &Output{Code: r.Code, Inputs: []string{name}, Hash: hex.EncodeToString(sum[:]), Warnings: diagnostics(r.Warnings)}
	if o.Map == ExternalMap {
		out.Map = r.Map
	}
	return out, nil
}

// Minify shortens a script of our own for the browser.
func Minify(js []byte) ([]byte, error) {
	if err := checkNesting("", js); err != nil {
		return nil, err
	}
	r := api.Transform(string(js), api.TransformOptions{
		Loader: api.LoaderJS, Target: api.ES2022, Charset: api.CharsetASCII, LogLevel: api.LogLevelSilent,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
	})
	if len(r.Errors) > 0 {
		return nil, &Error{diagnostics(r.Errors)}
	}
	return []byte(strings.TrimSuffix(string(r.Code), "\n")), nil
}
