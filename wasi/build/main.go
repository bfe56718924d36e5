// Command build makes the WebAssembly modules of package wasi from Debian's
// source packages, on Debian 12:
//
//	go run ./wasi/build            all modules
//	go run ./wasi/build awk        one
//	go run ./wasi/build -changed   names those whose recipe is not the one they were made by
//	go run ./wasi/build -check     builds all, or those named, and compares with what is committed; 3 is its code if a source is gone
//
// A module is the same to the byte wherever it is built. The sources are pinned in
// the file sources; apt-get fetches them from where the machine gets its packages,
// and Debian's patches are applied. The tools are those of the packages clang-16,
// lld-16, llvm-16, libclang-rt-16-dev-wasm32, dpkg-dev, gcc, make, patch, bison and tcl,
// and for Python those of python3.11.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"samkit.dev/wasi/internal/modules"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("build: ")
	check := flag.Bool("check", false, "compare with what is committed and write nothing")
	changed := flag.Bool("changed", false, "print the names of modules whose recipe has changed, and build nothing")
	cache := flag.String("cache", "", "folder that keeps the sources and the C library; none is kept by default")
	flag.Parse()
	root, err := moduleRoot()
	if err == nil {
		b := &builder{recipes: filepath.Join(root, "wasi/build"), modules: filepath.Join(root, "wasi/internal/modules"), cache: *cache}
		if *changed {
			err = b.printChanged()
		} else {
			err = b.run(flag.Args(), *check)
		}
	}
	if errors.Is(err, errGone) {
		log.Print(err)
		os.Exit(goneCode)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// errGone is that a pinned source is not to be had where the machine gets its packages: Debian keeps the newest
// of a release. Then the command exits with goneCode.
var errGone = errors.New("a source cannot be had")

const goneCode = 3

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

type builder struct {
	recipes, modules string
	cache            string
	work             string
	sysroot          string
	aptOptions       []string
}

func (b *builder) run(names []string, check bool) (err error) {
	if len(names) == 0 {
		names = modules.Names()
	}
	if b.work, err = os.MkdirTemp("", "wasi-build-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	if b.cache == "" {
		b.cache = filepath.Join(b.work, "cache")
	}
	if b.cache, err = filepath.Abs(b.cache); err != nil {
		return err
	}
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return err
	}
	if err := b.libc(); err != nil {
		return err
	}
	manifest, err := b.manifest()
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := b.module(name)
		if err != nil {
			return err
		}
		recipe, err := modules.RecipeHash(os.DirFS(b.recipes), name)
		if err != nil {
			return err
		}
		entry := modules.Entry{Name: name, Size: len(data), Hash: hash(data), Recipe: recipe}
		log.Printf("%s: %d bytes, %s", name, entry.Size, entry.Hash)
		if check {
			if old := manifest[name]; old.Hash != entry.Hash {
				return fmt.Errorf("%s is not what its recipe gives: %s is committed", name, old.Hash)
			}
			continue
		}
		if err := b.store(name, data); err != nil {
			return err
		}
		manifest[name] = entry
		if err := os.WriteFile(filepath.Join(b.modules, "manifest"), manifest.Encode(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manifest reads what is committed; what is linked in may be older.
func (b *builder) manifest() (modules.Manifest, error) {
	data, err := os.ReadFile(filepath.Join(b.modules, "manifest"))
	if err != nil {
		return nil, err
	}
	return modules.ParseManifest(data)
}

// printChanged prints the modules whose recipe is not the one that they were made by.
func (b *builder) printChanged() error {
	manifest, err := b.manifest()
	if err != nil {
		return err
	}
	for _, name := range modules.Names() {
		recipe, err := modules.RecipeHash(os.DirFS(b.recipes), name)
		if err != nil {
			return err
		}
		if manifest[name].Recipe != recipe {
			fmt.Println(name)
		}
	}
	return nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// store writes a module, compressed, under its name.
func (b *builder) store(name string, data []byte) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer enc.Close()
	return os.WriteFile(filepath.Join(b.modules, name+".wasm.zst"), enc.EncodeAll(data, nil), 0o644)
}

// libc builds the C library that all modules are linked with.
func (b *builder) libc() error {
	recipe, err := modules.RecipeHash(os.DirFS(b.recipes), "libc")
	if err != nil {
		return err
	}
	b.sysroot = filepath.Join(b.cache, "sysroot-"+recipe[:16])
	if _, err := os.Stat(b.sysroot); err == nil {
		return nil
	}
	made := filepath.Join(b.work, "sysroot")
	if err := b.recipe("libc", made); err != nil {
		return err
	}
	if err := os.Rename(made, b.sysroot); err != nil {
		// The cache is on another disk.
		return exec.Command("cp", "-r", made, b.sysroot).Run()
	}
	return nil
}

func (b *builder) module(name string) ([]byte, error) {
	out := filepath.Join(b.work, name+".wasm")
	if err := b.recipe(name, out); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// recipe runs the recipe of name in a folder of its own.
func (b *builder) recipe(name, out string) error {
	dir := filepath.Join(b.work, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	packages, err := modules.Packages(os.DirFS(b.recipes), name)
	if err != nil {
		return err
	}
	for i, p := range packages {
		into := "src"
		if i > 0 {
			into = p
		}
		files, err := b.fetch(p)
		if err != nil {
			return err
		}
		if err := unpack(files, filepath.Join(dir, into)); err != nil {
			return fmt.Errorf("unpack %s: %w", p, err)
		}
	}
	script := `. "$HERE/common.sh"; . "$HERE/$1.sh"; build "$2"`
	return b.command(dir, []string{"HERE=" + b.recipes, "PORT=" + filepath.Join(b.recipes, "port"), "SYSROOT=" + b.sysroot}, "bash", "-c", script, "recipe", name, out)
}

func (b *builder) command(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// fetch gets the files of a source package and compares them with what is pinned.
func (b *builder) fetch(name string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(b.recipes, "sources"))
	if err != nil {
		return nil, err
	}
	var files, version, sums []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] == name {
			version, files, sums = append(version, f[1]), append(files, filepath.Join(b.cache, f[2])), append(sums, f[3])
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no source of %s is pinned", name)
	}
	missing := func(f string) bool { _, err := os.Stat(f); return err != nil }
	if slices.ContainsFunc(files, missing) {
		if err := b.apt(); err != nil {
			return nil, fmt.Errorf("%w: %w", errGone, err)
		}
		args := append(slices.Clone(b.aptOptions), "source", "-qq", "--download-only")
		if len(files) == 1 {
			args = append(args, "--tar-only")
		}
		if err := b.command(b.cache, nil, "apt-get", append(args, name+"="+version[0])...); err != nil {
			return nil, fmt.Errorf("%w: %w", errGone, err)
		}
	}
	for i, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		if got := hash(data); got != sums[i] {
			return nil, fmt.Errorf("%s has SHA-256 %s; %s is pinned", filepath.Base(f), got, sums[i])
		}
	}
	return files, nil
}

// apt has apt-get look for sources where the machine gets its packages, without a
// change to how the machine is set up.
func (b *builder) apt() error {
	if b.aptOptions != nil {
		return nil
	}
	parts, lists := filepath.Join(b.work, "parts"), filepath.Join(b.work, "lists")
	for _, dir := range []string{parts, filepath.Join(lists, "partial")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	found, _ := filepath.Glob("/etc/apt/sources.list.d/*")
	for _, name := range append(found, "/etc/apt/sources.list") {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var out strings.Builder
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "Types: "):
				line = "Types: deb-src\n"
			case strings.HasPrefix(line, "deb "):
				line = "deb-src " + line[len("deb "):]
			}
			io.WriteString(&out, line)
		}
		if err := os.WriteFile(filepath.Join(parts, filepath.Base(name)), []byte(out.String()), 0o644); err != nil {
			return err
		}
	}
	options := []string{"-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=" + parts, "-o", "Dir::State::Lists=" + lists}
	if err := b.command("", nil, "apt-get", append(slices.Clone(options), "update", "-qq")...); err != nil {
		return err
	}
	b.aptOptions = options
	return nil
}

// unpack makes dir of a source package: as dpkg-source does it, Debian's patches
// applied, or the tarball alone if nothing else is pinned.
func unpack(files []string, dir string) error {
	for _, f := range files {
		if strings.HasSuffix(f, ".dsc") {
			out, err := exec.Command("dpkg-source", "--no-check", "-x", f, dir).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w\n%s", err, out)
			}
			return nil
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	out, err := exec.Command("tar", "-xf", files[0], "-C", dir, "--strip-components=1").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
