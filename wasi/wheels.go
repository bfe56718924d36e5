package wasi

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Wheels is where %pip of a [Python] finds packages: files as the index of packages has
// them, such as idna-3.7-py3-none-any.whl. Only those in Python alone are installed.
type Wheels struct {
	FS    fs.FS    // nil is none
	Allow []string // names of packages that may be installed; nil means all that FS has
}

// Bounds of a wheel.
const (
	maxWheel      = 16 << 20 // bytes, packed
	maxWheelFiles = 64 << 20 // bytes, unpacked, of all wheels of an interpreter
)

// A wheel is a file of an index.
type wheel struct{ file, name, version string }

var dashes = regexp.MustCompile(`[-_.]+`)

// canonical is a package's name as PEP 503 compares it.
func canonical(name string) string { return strings.ToLower(dashes.ReplaceAllString(name, "-")) }

// find returns the newest wheel of a package that wanted accepts.
func (w *Wheels) find(name string, accepts func(version string) bool) (wheel, error) {
	if w.FS == nil {
		return wheel{}, errors.New("there are no packages to install")
	}
	if w.Allow != nil && !slices.ContainsFunc(w.Allow, func(a string) bool { return canonical(a) == name }) {
		return wheel{}, fmt.Errorf("%s is not on the list of packages that may be installed", name)
	}
	entries, err := fs.ReadDir(w.FS, ".")
	if err != nil {
		return wheel{}, fmt.Errorf("read the index: %w", err)
	}
	var best wheel
	for _, e := range entries {
		// name-version[-build]-python-abi-platform.whl
		parts := strings.Split(strings.TrimSuffix(e.Name(), ".whl"), "-")
		if !strings.HasSuffix(e.Name(), ".whl") || len(parts) < 5 || canonical(parts[0]) != name || !accepts(parts[1]) {
			continue
		}
		tags := parts[len(parts)-3:]
		python := slices.ContainsFunc(strings.Split(tags[0], "."), func(tag string) bool { return tag == "py3" || tag == "py311" })
		if !python || tags[1] != "none" || tags[2] != "any" {
			continue
		}
		if best.file == "" || compareVersions(parts[1], best.version) > 0 {
			best = wheel{e.Name(), name, parts[1]}
		}
	}
	if best.file == "" {
		return wheel{}, fmt.Errorf("no matching wheel in Python alone of %s", name)
	}
	return best, nil
}

var requirement = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^();]*)\)?\s*(?:;(.*))?$`)

// parseRequirement is the name of a requirement and what versions it accepts. ok is false if it
// is not about us: one with a marker, such as an extra or another system.
func parseRequirement(text string) (name string, accepts func(string) bool, ok bool, err error) {
	m := requirement.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", nil, false, fmt.Errorf("%q is no requirement", text)
	}
	if strings.TrimSpace(m[3]) != "" {
		return "", nil, false, nil
	}
	type bound struct{ op, version string }
	var bounds []bound
	for part := range strings.SplitSeq(m[2], ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		op := part[:len(part)-len(strings.TrimLeft(part, "=<>!~"))]
		version := strings.TrimSpace(part[len(op):])
		if !slices.Contains([]string{"==", "===", "!=", "<", "<=", ">", ">=", "~="}, op) || version == "" {
			return "", nil, false, fmt.Errorf("%q is no requirement", text)
		}
		bounds = append(bounds, bound{op, version})
	}
	return canonical(m[1]), func(v string) bool {
		return !slices.ContainsFunc(bounds, func(b bound) bool { return !within(v, b.op, b.version) })
	}, true, nil
}

func within(v, op, bound string) bool {
	prefix, wild := strings.CutSuffix(bound, ".*")
	starts := v == prefix || strings.HasPrefix(v, prefix+".")
	c := compareVersions(v, bound)
	switch op {
	case "==", "===":
		return wild && starts || !wild && c == 0
	case "!=":
		return wild && !starts || !wild && c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	}
	// ~= 1.4.2 is >= 1.4.2, == 1.4.*
	i := strings.LastIndexByte(bound, '.')
	return i > 0 && c >= 0 && (v == bound[:i] || strings.HasPrefix(v, bound[:i]+"."))
}

// compareVersions compares releases by their numbers, and what comes after a number as text: 1.10 is
// after 1.9, 1.0 is 1, and 2.0rc1 is before 2.0.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		n, s := versionPart(x, i)
		m, t := versionPart(y, i)
		switch {
		case n != m:
			return n - m
		case s == t:
		case s == "":
			return 1
		case t == "":
			return -1
		default:
			return strings.Compare(s, t)
		}
	}
	return 0
}

func versionPart(parts []string, i int) (n int, rest string) {
	if i >= len(parts) {
		return 0, ""
	}
	digits := len(parts[i]) - len(strings.TrimLeft(parts[i], "0123456789"))
	n, _ = strconv.Atoi(parts[i][:digits])
	return n, parts[i][digits:]
}

// install puts packages, and those they need, where the interpreter imports from: all or none.
// The caller has the turn.
func (p *Python) install(wanted []string, out io.Writer) error {
	type need struct{ text, by string }
	var queue []need
	for _, text := range wanted {
		queue = append(queue, need{text, ""})
	}
	found := map[string]wheel{}
	files := map[string][]byte{}
	size := p.site.size()
	for ; len(queue) > 0; queue = queue[1:] {
		name, accepts, ok, err := parseRequirement(queue[0].text)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if v, have := p.have[name]; have && accepts(v) {
			if queue[0].by == "" {
				fmt.Fprintf(out, "Requirement already satisfied: %s==%s\n", name, v)
			}
			continue
		}
		if w, have := found[name]; have {
			if !accepts(w.version) {
				return fmt.Errorf("%s needs %s, which %s==%s is not", queue[0].by, queue[0].text, name, w.version)
			}
			continue
		}
		w, err := p.r.opts.Wheels.find(name, accepts)
		if err != nil {
			if queue[0].by != "" {
				return fmt.Errorf("%s needs %s: %w", queue[0].by, queue[0].text, err)
			}
			return err
		}
		found[name] = w
		needs, n, err := p.r.opts.Wheels.read(w, files, maxWheelFiles-size)
		if err != nil {
			return fmt.Errorf("%s: %w", w.file, err)
		}
		size += n
		for _, text := range needs {
			queue = append(queue, need{text, name})
		}
	}
	if len(found) == 0 {
		return nil
	}
	for name, data := range files {
		p.site.put(name, data)
	}
	var done []string
	for name, w := range found {
		p.have[name] = w.version
		done = append(done, name+"-"+w.version)
	}
	if p.guest != nil {
		p.guest.tree.restock(pythonDir+"/dist-packages", p.site)
	}
	slices.Sort(done)
	fmt.Fprintf(out, "Successfully installed %s\n", strings.Join(done, " "))
	return nil
}

// read unpacks a wheel into files, and returns what it needs and how large it is.
func (w *Wheels) read(it wheel, files map[string][]byte, room int64) (needs []string, size int64, err error) {
	f, err := w.FS.Open(it.file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWheel+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxWheel {
		return nil, 0, fmt.Errorf("more than %d bytes", maxWheel)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, 0, err
	}
	for _, e := range z.File {
		name := path.Clean(e.Name)
		if e.FileInfo().IsDir() {
			continue
		}
		if !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
			return nil, 0, fmt.Errorf("a file is called %q", e.Name)
		}
		if dir, rest, ok := strings.Cut(name, ".data/"); ok && !strings.Contains(dir, "/") {
			// What does not go where modules are: of that, only what does is wanted.
			_, inner, ok := strings.Cut(rest, "/")
			if !ok || !strings.HasPrefix(rest, "purelib/") && !strings.HasPrefix(rest, "platlib/") {
				continue
			}
			name = inner
		}
		r, err := e.Open()
		if err != nil {
			return nil, 0, err
		}
		text, err := io.ReadAll(io.LimitReader(r, room-size+1))
		r.Close()
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", e.Name, err)
		}
		if size += int64(len(text)); size > room {
			return nil, 0, fmt.Errorf("packages are more than %d bytes", maxWheelFiles)
		}
		files[name] = text
		if strings.HasSuffix(name, ".dist-info/METADATA") {
			needs = requires(string(text))
		}
	}
	return needs, size, nil
}

// requires is what a package's metadata says that it needs.
func requires(metadata string) (needs []string) {
	for line := range strings.Lines(metadata) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break // the description
		}
		if text, ok := strings.CutPrefix(line, "Requires-Dist:"); ok {
			needs = append(needs, text)
		}
	}
	return needs
}

// size is the bytes of all files on a shelf.
func (s *shelf) size() (sum int64) {
	for _, data := range s.files {
		sum += int64(len(data))
	}
	for _, d := range s.dirs {
		sum += d.size()
	}
	return sum
}

// restock has a folder of a tree show what is on its shelf now.
func (t *tree) restock(name string, s *shelf) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, e := t.find(name); e == 0 {
		clear(n.kids)
		n.shelf = s
		n.mtime++
	}
}
