// Pack makes .sam packages of folders and of repositories, and folders of packages.
//
//	pack FOLDER OUT.sam                            the files of a folder, without .git
//	pack github owner/repo[@ref][:dir] OUT.sam     those of a public repository
//	pack list IN.sam                               what a package holds, and wants
//	pack unpack IN.sam FOLDER                      its files, into a folder that is new or empty
//
// What fails leaves nothing half-written.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"samkit.dev/sam"
	"samkit.dev/sam/github"
)

const usage = `usage: pack FOLDER OUT.sam
       pack github owner/repo[@ref][:dir] OUT.sam
       pack list IN.sam
       pack unpack IN.sam FOLDER`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &command{out: os.Stdout, fetcher: func() (sam.Fetcher, error) { return github.New(nil) }}
	if err := c.run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A command is one run of the program.
type command struct {
	out     io.Writer
	fetcher func() (sam.Fetcher, error) // called only if a repository is wanted
}

func (c *command) run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "github":
		return c.github(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "unpack":
		return c.unpack(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "list":
		return c.list(args[1])
	case len(args) == 2 && !strings.HasPrefix(args[0], "-"):
		return c.pack(ctx, args[0], args[1])
	}
	return errors.New(usage)
}

// workspace returns one for the time of the run.
func workspace() *sam.Workspace { return sam.NewWorkspace(sam.NewMemStore(), "", nil) }

func (c *command) pack(ctx context.Context, folder, out string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	id := sam.ProjectID("app")
	if full, err := filepath.Abs(folder); err == nil && sam.ProjectID(filepath.Base(full)).Check() == nil {
		id = sam.ProjectID(filepath.Base(full))
	}
	p, err := workspace().Create(ctx, id, withoutGit{root.FS()})
	if err != nil {
		return err
	}
	return c.write(ctx, p, out)
}

// withoutGit is a folder without what git keeps in it.
type withoutGit struct{ fs.FS }

// ReadDir implements fs.ReadDirFS.
func (w withoutGit) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	kept := entries[:0]
	for _, e := range entries {
		if e.Name() != ".git" {
			kept = append(kept, e)
		}
	}
	return kept, err
}

func (c *command) github(ctx context.Context, source, out string) error {
	from, err := sam.ParseRepoSource(source)
	if err != nil {
		return err
	}
	f, err := c.fetcher()
	if err != nil {
		return err
	}
	id := sam.ProjectID(strings.ToLower(from.Repo))
	if id.Check() != nil {
		id = "app"
	}
	p, dropped, err := workspace().ImportRepo(ctx, id, f, source)
	if err != nil {
		return err
	}
	for _, name := range dropped {
		fmt.Fprintf(c.out, "left out %s, a symbolic link\n", name)
	}
	return c.write(ctx, p, out)
}

// write makes the package, whole or not at all.
func (c *command) write(ctx context.Context, p *sam.Project, out string) error {
	if filepath.Ext(out) != sam.PackageExt {
		return fmt.Errorf("%s: the name of a package ends in %s", out, sam.PackageExt)
	}
	f, err := os.CreateTemp(filepath.Dir(out), ".pack-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is there once it was renamed
	err = p.Export(ctx, f, sam.Parts{})
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), out)
}

// open opens a package. The caller closes the file.
func open(name string) (*os.File, int64, error) {
	if filepath.Ext(name) != sam.PackageExt {
		return nil, 0, fmt.Errorf("%s: the name of a package ends in %s", name, sam.PackageExt)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// list prints names as Go strings where they could steer a terminal.
func (c *command) list(name string) error {
	f, size, err := open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	pkg, err := sam.OpenPackage(f, size)
	if err != nil {
		return err
	}
	if pkg.Name != "" {
		fmt.Fprintf(c.out, "project %q\n", pkg.Name)
	}
	for _, want := range pkg.Wants {
		fmt.Fprintf(c.out, "wants %q\n", want)
	}
	for _, part := range parts(pkg.Parts) {
		fmt.Fprintf(c.out, "holds %s\n", part)
	}
	for _, file := range pkg.Files {
		name := file.Name
		if quoted := fmt.Sprintf("%q", name); quoted != `"`+name+`"` {
			name = quoted
		}
		fmt.Fprintf(c.out, "%12d %s\n", file.Size, name)
	}
	return nil
}

// parts says what a package has beside files.
func parts(p sam.Parts) (list []string) {
	if p.KV {
		list = append(list, "KV")
	}
	if p.DB {
		list = append(list, "databases")
	}
	for _, name := range p.Secrets {
		list = append(list, "secret "+name)
	}
	return list
}

func (c *command) unpack(ctx context.Context, name, folder string) error {
	f, size, err := open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := workspace().Import(ctx, "app", f, size, sam.Parts{})
	if err != nil {
		return err
	}
	folder = filepath.Clean(folder)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it is a file, say
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", folder)
	}
	temp, err := os.MkdirTemp(filepath.Dir(folder), ".unpack-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.CopyFS(filepath.Join(temp, "new"), p.FS(ctx)); err != nil {
		return err
	}
	// An empty folder gives way; one that something was put into meanwhile does not.
	if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(filepath.Join(temp, "new"), folder)
}
