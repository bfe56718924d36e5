package box

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"samkit.dev/internal/netguard"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// A job is a command that has been checked, with what exists of what it names.
type job struct {
	path     string // to execute
	argv     []string
	env      []string // the caller's
	root     string   // without links
	dir      string
	writable []string // absolute, none below another
	readOnly []string // absolute, existing
	hidden   []string // absolute, existing
	guard    *netguard.Guard
	limits   Limits
	stdin    io.Reader
	out, err io.Writer
	full     *diskWatch
	refused  refusals
	temp     string // a light command's home
}

func (j *job) close() {
	if j.temp != "" {
		removeAll(j.temp)
	}
}

func (j *job) network() bool { return !j.guard.List.Empty() }

// removeAll removes a directory that a command could write, and so take its modes away.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

func (b *Box) prepare(c *Command) (*job, error) {
	j := &job{argv: c.Argv, env: c.Env, limits: c.Limits.withDefaults(), stdin: c.Stdin, out: c.Stdout, err: c.Stderr}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("there is no command")
	}
	for _, s := range slices.Concat(c.Argv, c.Env) {
		if strings.ContainsRune(s, 0) {
			return nil, errors.New("an argument or a variable holds a NUL")
		}
	}
	list, err := netguard.ParseList(c.Network)
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	j.guard = &netguard.Guard{List: list, Resolver: b.opts.Resolver, Dial: b.opts.Dial}
	if j.root, err = workspace(c.Root); err != nil {
		return nil, err
	}
	if !filepath.IsLocal(filepath.FromSlash(c.Dir)) && c.Dir != "" {
		return nil, fmt.Errorf("the directory %q is not within the workspace", c.Dir)
	}
	if j.dir, err = j.within(c.Dir); err != nil {
		return nil, fmt.Errorf("the directory %q: %w", c.Dir, err)
	}
	if j.path, err = j.lookUp(c.Argv[0]); err != nil {
		return nil, err
	}
	if j.writable, err = j.roundUp(c.Writable); err != nil {
		return nil, fmt.Errorf("writable: %w", err)
	}
	for _, name := range slices.Concat(guarded, c.ReadOnly) {
		// What leads elsewhere by a link is not the workspace's; what is missing is watched.
		if path, err := j.within(name); err == nil && j.isWritable(path) {
			j.readOnly = append(j.readOnly, path)
		}
	}
	if j.hidden, err = j.find(c.Deny); err != nil {
		return nil, fmt.Errorf("deny: %w", err)
	}
	return j, nil
}

// workspace returns a directory's path without links.
func workspace(root string) (string, error) {
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("the workspace %q is no absolute path", root)
	}
	path, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || path == filepath.VolumeName(path)+string(filepath.Separator) {
		return "", fmt.Errorf("%s can't be a workspace", root)
	}
	return path, nil
}

// within returns the absolute path of a name in the workspace that exists and leads there without links.
func (j *job) within(name string) (string, error) {
	if name == "" {
		return j.root, nil
	}
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) {
		return "", errors.New("it is not within the workspace")
	}
	path := filepath.Join(j.root, name)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if real != path {
		return "", errors.New("it leads over a link")
	}
	return path, nil
}

// lookUp finds what to execute, on the machine's paths for a bare name: a command never means a file that
// the workspace happens to have.
func (j *job) lookUp(name string) (string, error) {
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(j.dir, filepath.FromSlash(name))
		}
		return path, nil
	}
	path, err := j.paths()
	if err != nil {
		return "", err
	}
	for _, dir := range path {
		if within(j.root, dir) {
			continue
		}
		for _, ext := range extensions() {
			file := filepath.Join(dir, name+ext)
			info, err := os.Stat(file)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%q is in none of %s: %w", name, strings.Join(path, string(filepath.ListSeparator)), fs.ErrNotExist)
}

// within reports whether path is dir or lies below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// roundUp returns the directories that patterns lie in.
func (j *job) roundUp(patterns []string) ([]string, error) {
	var dirs []string
	for _, text := range patterns {
		if _, err := tool.ParsePattern(text); err != nil {
			return nil, err
		}
		dir := j.root
		parts := strings.Split(text, "/")
		for i, part := range parts {
			if strings.ContainsAny(part, "*\\") {
				break
			}
			next, err := j.within(strings.Join(parts[:i+1], "/"))
			if err != nil {
				break
			}
			if info, err := os.Lstat(next); err != nil || !info.IsDir() {
				break
			}
			dir = next
		}
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	var top []string
	for _, dir := range dirs { // one above comes first
		if !slices.ContainsFunc(top, func(t string) bool { return within(t, dir) }) {
			top = append(top, dir)
		}
	}
	return top, nil
}

func (j *job) isWritable(path string) bool {
	return slices.ContainsFunc(j.writable, func(w string) bool { return within(w, path) })
}

// maxWalk is in how many files patterns are looked for.
const maxWalk = 1 << 20

// find returns the files and directories that match patterns. A link is its own name, not what it leads to.
func (j *job) find(texts []string) ([]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var patterns []tool.Pattern
	var folded []tool.Pattern
	for _, text := range texts {
		p, err := tool.ParsePattern(text)
		if err != nil {
			return nil, err
		}
		f, err := tool.ParsePattern(sam.FoldName(text))
		if err != nil {
			return nil, err
		}
		patterns, folded = append(patterns, p), append(folded, f)
	}
	var found []string
	n := 0
	err := filepath.WalkDir(j.root, func(path string, d fs.DirEntry, err error) error {
		if n++; n > maxWalk {
			return fmt.Errorf("the workspace holds more than %d files", maxWalk)
		}
		if err != nil || path == j.root {
			return err
		}
		rel, err := filepath.Rel(j.root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		fold := sam.FoldName(rel)
		matches := func(name string, ps []tool.Pattern) bool {
			return slices.ContainsFunc(ps, func(p tool.Pattern) bool { return p.Match(name) })
		}
		if d.Type()&fs.ModeSymlink == 0 && (matches(rel, patterns) || matches(fold, folded)) {
			found = append(found, path)
			if d.IsDir() {
				return filepath.SkipDir
			}
		}
		return nil
	})
	return found, err
}
