package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// vendored are the libraries that templates of projects bring along, as one module each, so that a project runs without a build
// and without the network. A project is its person's to pass on, so each holds its licence.
func vendored(ui string) (files map[string][]byte, used []string, err error) {
	files = make(map[string][]byte)
	for _, name := range []string{"react", "hono"} {
		r := api.Build(api.BuildOptions{
			AbsWorkingDir: ui, EntryPoints: []string{"src/vendor/" + name + ".js"}, Outdir: "out", EntryNames: "[name]",
			Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8, Platform: api.PlatformBrowser,
			Define:           map[string]string{"process.env.NODE_ENV": `"production"`},
			MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
			LegalComments: api.LegalCommentsNone, Metafile: true, LogLevel: api.LogLevelSilent,
		})
		if len(r.Errors) > 0 {
			text := api.FormatMessages(r.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
			return nil, nil, fmt.Errorf("bundle %s:\n%s", name, bytes.Join(asBytes(text), nil))
		}
		inputs, err := packages(r.Metafile)
		if err != nil {
			return nil, nil, err
		}
		var b bytes.Buffer
		for _, pkg := range inputs {
			text, err := licence(filepath.Join(ui, "node_modules", filepath.FromSlash(pkg)))
			if err != nil {
				return nil, nil, err
			}
			fmt.Fprintf(&b, "/* %s\n\n%s */\n", pkg, strings.ReplaceAll(text, "*/", "* /"))
		}
		b.Write(r.OutputFiles[0].Contents)
		files[name+".js"] = b.Bytes()
		used = append(used, inputs...)
	}
	return files, used, nil
}
