// Gen builds the playground's page: it bundles ../src into ../../dist.
//
// It is a module of its own, so that programs which serve the page need neither
// esbuild for it nor Node. Run it with go generate in canvas/playground. The same
// sources give the same bytes; names in dist are stable, since a module's zip is its git tree.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
)

// budget is the most that the first load of the page may weigh, in bytes after gzip.
const budget = 350 << 10

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ui, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	if err := install(ui); err != nil {
		return err
	}
	files, vendor, err := build(ui)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(ui, "..", "dist"), files); err != nil {
		return err
	}
	if err := write(filepath.Join(ui, "..", "vendor"), vendor); err != nil {
		return err
	}
	return weigh(files)
}

// build returns what dist and vendor hold, by name.
func build(ui string) (files, vendor map[string][]byte, err error) {
	files, used, err := bundle(ui)
	if err != nil {
		return nil, nil, err
	}
	vendor, more, err := vendored(ui)
	if err != nil {
		return nil, nil, err
	}
	used = append(used, more...)
	slices.Sort(used)
	files["NOTICE"], err = licences(filepath.Join(ui, "node_modules"), slices.Compact(used))
	return files, vendor, err
}

// install brings node_modules to what the lockfile says, without running anyone's scripts.
func install(ui string) error {
	lock, err := os.ReadFile(filepath.Join(ui, "package-lock.json"))
	if err != nil {
		return err
	}
	stamp := filepath.Join(ui, "node_modules", ".gen-lock")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, lock) {
		return nil
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir, cmd.Stdout, cmd.Stderr = ui, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	return os.WriteFile(stamp, lock, 0o644)
}

// bundle builds the page. The editor is a bundle of its own, loaded when a file is
// first opened: the two share no module, so neither name needs a hash.
func bundle(ui string) (files map[string][]byte, used []string, err error) {
	files = make(map[string][]byte)
	for _, b := range []struct {
		entry  string
		format api.Format
	}{
		{"src/boot.ts", api.FormatIIFE}, // sets the theme before the first paint
		{"src/app.tsx", api.FormatESModule},
		{"src/editor.ts", api.FormatESModule},
	} {
		out, inputs, err := bundleOne(ui, b.entry, b.format)
		if err != nil {
			return nil, nil, err
		}
		for name, data := range out {
			files[name] = data
		}
		used = append(used, inputs...)
	}
	slices.Sort(used)
	return files, slices.Compact(used), nil
}

func bundleOne(ui, entry string, format api.Format) (map[string][]byte, []string, error) {
	r := api.Build(api.BuildOptions{
		AbsWorkingDir: ui, EntryPoints: []string{entry}, Outdir: "out", EntryNames: "[name]",
		Bundle: true, Format: format, Target: api.ES2022, Charset: api.CharsetUTF8,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", External: []string{"./editor.js"},
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone, Metafile: true, LogLevel: api.LogLevelSilent,
	})
	if len(r.Errors) > 0 {
		text := api.FormatMessages(r.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, nil, fmt.Errorf("bundle %s:\n%s", entry, bytes.Join(asBytes(text), nil))
	}
	inputs, err := packages(r.Metafile)
	if err != nil {
		return nil, nil, err
	}
	files := make(map[string][]byte)
	for _, f := range r.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, inputs, nil
}

func asBytes(text []string) [][]byte {
	b := make([][]byte, len(text))
	for i, s := range text {
		b[i] = []byte(s)
	}
	return b
}

// write makes dir hold exactly files.
func write(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// weigh prints what a browser loads, and fails over the budget.
func weigh(files map[string][]byte) error {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	total := 0
	for _, name := range names {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		w.Write(files[name])
		w.Close()
		fmt.Printf("%-10s %8d bytes, %7d gzipped\n", name, len(files[name]), b.Len())
		if name != "NOTICE" {
			total += b.Len()
		}
	}
	if total > budget {
		return fmt.Errorf("the page weighs %d bytes gzipped, over its budget of %d", total, budget)
	}
	return nil
}
