package wasi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// A searcher is one run of rg.
type searcher struct {
	ctx                                                   context.Context
	p                                                     *proc
	out                                                   *bufio.Writer
	re                                                    *regexp.Regexp
	numbers, names, count, invert, only, hidden, noIgnore bool
	listOnly, listWithout, column                         bool
	before, after, most                                   int
	globs                                                 []glob
	matched, failed                                       bool
}

type glob struct {
	re     *regexp.Regexp
	not    bool
	folder bool // also matches with a slash in it
}

// fileTypes is what -t of rg knows.
var fileTypes = map[string][]string{
	"js": {"*.js", "*.mjs", "*.cjs", "*.jsx"}, "ts": {"*.ts", "*.tsx", "*.mts", "*.cts"}, "json": {"*.json", "*.jsonl"}, "html": {"*.html", "*.htm"},
	"css": {"*.css", "*.scss"}, "md": {"*.md", "*.markdown"}, "py": {"*.py", "*.pyi"}, "sql": {"*.sql"}, "sh": {"*.sh", "*.bash"}, "go": {"*.go"},
	"yaml": {"*.yaml", "*.yml"}, "toml": {"*.toml"}, "txt": {"*.txt"}, "xml": {"*.xml", "*.svg"}, "c": {"*.c", "*.h"}, "rust": {"*.rs"},
}

// rg [OPTION]... PATTERN [PATH]... searches files, all below the folder where it runs by
// default, without hidden ones. It prints as ripgrep does where output is no terminal.
func rg(ctx context.Context, p *proc) error {
	opts, rest, err := p.getoptAnywhere(`n N i S s w x F v c l o e: g: t: A: B: C: m: H I uu u . line-number no-line-number ignore-case smart-case
		case-sensitive word-regexp line-regexp fixed-strings invert-match count files-with-matches files-without-match only-matching regexp:
		glob: type: after-context: before-context: context: max-count: with-filename no-filename hidden no-ignore files color: heading no-heading column sort: no-messages`)
	if err != nil {
		return err
	}
	s := &searcher{ctx: ctx, p: p, out: bufio.NewWriter(p.stdout), most: 1 << 30}
	var patterns []string
	var fold, smart, word, whole, fixed, list bool
	name := 0 // whether to print names: 1 yes, -1 no, 0 if there may be several
	for _, o := range opts {
		n, nerr := strconv.Atoi(o.value)
		switch o.name {
		case "n", "line-number":
			s.numbers = true
		case "N", "no-line-number":
			s.numbers = false
		case "i", "ignore-case":
			fold = true
		case "S", "smart-case":
			smart = true
		case "s", "case-sensitive":
			fold, smart = false, false
		case "w", "word-regexp":
			word = true
		case "x", "line-regexp":
			whole = true
		case "F", "fixed-strings":
			fixed = true
		case "v", "invert-match":
			s.invert = true
		case "c", "count":
			s.count = true
		case "l", "files-with-matches":
			s.listOnly = true
		case "files-without-match":
			s.listWithout = true
		case "o", "only-matching":
			s.only = true
		case "column":
			s.column, s.numbers = true, true
		case "e", "regexp":
			patterns = append(patterns, o.value)
		case "H", "with-filename":
			name = 1
		case "I", "no-filename":
			name = -1
		case ".", "hidden":
			s.hidden = true
		case "u":
			s.hidden, s.noIgnore = s.noIgnore, true
		case "no-ignore":
			s.noIgnore = true
		case "files":
			list = true
		case "g", "glob":
			pattern, not := strings.CutPrefix(o.value, "!")
			g, err := newGlob(pattern, not)
			if err != nil {
				return p.fail(2, "%v", err)
			}
			s.globs = append(s.globs, g)
		case "t", "type":
			types, ok := fileTypes[o.value]
			if !ok {
				return p.fail(2, "unrecognized file type: %s", o.value)
			}
			for _, pattern := range types {
				g, err := newGlob(pattern, false)
				if err != nil {
					return err
				}
				s.globs = append(s.globs, g)
			}
		case "A", "B", "C", "m", "after-context", "before-context", "context", "max-count":
			if nerr != nil || n < 0 {
				return p.fail(2, "invalid number: %s", o.value)
			}
			switch o.name {
			case "A", "after-context":
				s.after = n
			case "B", "before-context":
				s.before = n
			case "C", "context":
				s.before, s.after = n, n
			default:
				s.most = n
			}
		}
	}
	if !list {
		if patterns == nil {
			if len(rest) == 0 {
				return p.usage("[OPTIONS] PATTERN [PATH]...")
			}
			patterns, rest = rest[:1], rest[1:]
		}
		for i, pattern := range patterns {
			if fixed {
				pattern = regexp.QuoteMeta(pattern)
			}
			patterns[i] = "(?:" + pattern + ")"
		}
		pattern := strings.Join(patterns, "|")
		if word {
			pattern = `\b(?:` + pattern + `)\b`
		}
		if whole {
			pattern = `^(?:` + pattern + `)$`
		}
		if fold || smart && !strings.ContainsFunc(pattern, unicode.IsUpper) {
			pattern = "(?i)" + pattern
		}
		if s.re, err = regexp.Compile(pattern); err != nil {
			return p.fail(2, "regex parse error: %v", err)
		}
	}
	given := len(rest) > 0
	if !given && p.stdin != nil && !list {
		data, err := p.input("-")
		if err != nil {
			return p.fail(2, "%v", err)
		}
		s.names = name > 0
		s.search("<stdin>", data)
	} else {
		if !given {
			rest = []string{"./"}
		}
		for _, root := range rest {
			info, err := p.tree.info(p.abs(root))
			if err != nil {
				fmt.Fprintf(p.stderr, "rg: %s: %v\n", root, reason(err))
				s.failed = true
				continue
			}
			s.names = name > 0 || name == 0 && (len(rest) > 1 || info.IsDir())
			switch {
			case info.IsDir() && !given:
				s.walk("", p.dir, list, nil)
			case info.IsDir():
				s.walk(strings.TrimSuffix(root, "/")+"/", p.abs(root), list, nil)
			default:
				s.file(root, p.abs(root), list)
			}
		}
	}
	if err := s.out.Flush(); err != nil {
		return written(err)
	}
	switch {
	case s.failed:
		return &ExitError{Code: 2}
	case !s.matched:
		return &ExitError{Code: 1}
	}
	return nil
}

// getoptAnywhere is getopt where options may follow operands.
func (p *proc) getoptAnywhere(spec string) ([]option, []string, error) {
	var opts []option
	var operands []string
	q := *p
	for {
		o, rest, err := q.getopt(spec)
		if err != nil {
			return nil, nil, err
		}
		opts = append(opts, o...)
		if len(rest) == 0 || len(rest) < len(q.args) && q.args[len(q.args)-len(rest)-1] == "--" {
			return opts, append(operands, rest...), nil
		}
		operands = append(operands, rest[0])
		q.args = append([]string{p.args[0]}, rest[1:]...)
	}
}

func newGlob(pattern string, not bool) (glob, error) {
	folder := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	pattern = strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "/")
	var alternatives []string
	if open, end := strings.IndexByte(pattern, '{'), strings.IndexByte(pattern, '}'); open >= 0 && end > open {
		for a := range strings.SplitSeq(pattern[open+1:end], ",") {
			alternatives = append(alternatives, pattern[:open]+a+pattern[end+1:])
		}
	} else {
		alternatives = []string{pattern}
	}
	for i, a := range alternatives {
		re, err := globRegexp(strings.ReplaceAll(a, "**/", "*"), false)
		if err != nil {
			return glob{}, err
		}
		text := re.String()
		if folder && !strings.Contains(a, "**") {
			text = strings.ReplaceAll(text, ".*", "[^/]*")
		}
		alternatives[i] = text
	}
	re, err := regexp.Compile(strings.Join(alternatives, "|"))
	return glob{re, not, folder}, err
}

func (g glob) match(name string) bool {
	if g.folder {
		return g.re.MatchString(name)
	}
	return g.re.MatchString(path.Base(name))
}

// wanted reports whether the globs select a file: the last that matches decides.
func (s *searcher) wanted(name string) bool {
	want := true
	for _, g := range s.globs {
		want = want && g.not
	}
	for _, g := range s.globs {
		if g.match(name) {
			want = !g.not
		}
	}
	return want
}

func (s *searcher) walk(shown, abs string, list bool, ignored []glob) {
	if !s.noIgnore {
		if data, err := s.p.tree.readFile(path.Join(abs, ".gitignore")); err == nil {
			for _, line := range lines(data) {
				line, not := strings.CutPrefix(strings.TrimSpace(line), "!")
				if line == "" || line[0] == '#' {
					continue
				}
				if g, err := newGlob(line, not); err == nil {
					ignored = append(ignored[:len(ignored):len(ignored)], g)
				}
			}
		}
	}
	entries, err := s.p.tree.readDir(abs)
	if err != nil {
		fmt.Fprintf(s.p.stderr, "rg: %s: %v\n", shown, reason(err))
		s.failed = true
	}
	for _, e := range entries {
		if s.ctx.Err() != nil || strings.HasPrefix(e.Name(), ".") && !s.hidden {
			continue
		}
		at := path.Join(abs, e.Name())
		skip := false
		for _, g := range ignored {
			if g.match(strings.TrimPrefix(at, s.p.dir+"/")) {
				skip = !g.not
			}
		}
		switch {
		case skip:
		case e.IsDir():
			s.walk(shown+e.Name()+"/", at, list, ignored)
		case s.wanted(strings.TrimPrefix(at, s.p.dir+"/")):
			s.file(shown+e.Name(), at, list)
		}
	}
}

func (s *searcher) file(shown, abs string, list bool) {
	if list {
		s.matched = true
		s.out.WriteString(shown + "\n")
		return
	}
	data, err := s.p.tree.readFile(abs)
	if err != nil {
		fmt.Fprintf(s.p.stderr, "rg: %s: %v\n", shown, reason(err))
		s.failed = true
		return
	}
	s.search(shown, data)
}

func (s *searcher) search(shown string, data []byte) {
	if bytes.IndexByte(data, 0) >= 0 {
		return // binary
	}
	all := lines(data)
	prefix := ""
	if s.names {
		prefix = shown
	}
	hits, next, last := 0, 0, -1 // next is the first line not printed yet
	for i, line := range all {
		if s.ctx.Err() != nil || hits >= s.most {
			break
		}
		if s.re.MatchString(line) == s.invert {
			if last >= 0 && i-last <= s.after && i >= next && !s.quiet() {
				s.line(prefix, i, line, '-')
				next = i + 1
			}
			continue
		}
		s.matched = true
		hits++
		last = i
		if s.quiet() {
			if !s.count {
				break
			}
			continue
		}
		from := max(i-s.before, next)
		if from > next && next > 0 && s.before+s.after > 0 {
			s.out.WriteString("--\n")
		}
		for j := from; j < i; j++ {
			s.line(prefix, j, all[j], '-')
		}
		if s.only && !s.invert {
			for _, m := range s.re.FindAllStringIndex(line, -1) {
				s.line(prefix, i, line[m[0]:m[1]], ':')
			}
		} else {
			s.line(prefix, i, line, ':')
		}
		next = i + 1
	}
	switch {
	case s.count && hits > 0 && prefix != "":
		fmt.Fprintf(s.out, "%s:%d\n", prefix, hits)
	case s.count && hits > 0:
		fmt.Fprintf(s.out, "%d\n", hits)
	case s.listOnly && hits > 0, s.listWithout && hits == 0:
		s.out.WriteString(shown + "\n")
	}
}

// quiet reports whether lines are not printed.
func (s *searcher) quiet() bool { return s.count || s.listOnly || s.listWithout }

func (s *searcher) line(prefix string, i int, text string, sep byte) {
	if prefix != "" {
		s.out.WriteString(prefix)
		s.out.WriteByte(sep)
	}
	if s.numbers {
		s.out.WriteString(strconv.Itoa(i + 1))
		s.out.WriteByte(sep)
	}
	if s.column && sep == ':' {
		if m := s.re.FindStringIndex(text); m != nil {
			s.out.WriteString(strconv.Itoa(m[0]+1) + ":")
		}
	}
	s.out.WriteString(text + "\n")
}
