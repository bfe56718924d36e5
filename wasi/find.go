package wasi

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	xsys "github.com/tetratelabs/wazero/experimental/sys"
)

// A finder is one run of find.
type finder struct {
	ctx      context.Context
	p        *proc
	out      *bufio.Writer
	min, max int
	depth    bool // contents before their folder
	action   bool // an action was given, so that -print is not implied
	test     finding
	batches  []*batch
	code     int
	quit     bool
}

// A found is a file that expressions are about.
type found struct {
	name  string // as find prints it
	abs   string
	info  fs.FileInfo
	level int
	prune bool
}

// A finding is an expression.
type finding func(f *found) bool

// A batch is one -exec ... +.
type batch struct {
	cmd   []string
	names []string
	size  int
}

// find [PATH]... [EXPRESSION]
func find(ctx context.Context, p *proc) error {
	f := &finder{ctx: ctx, p: p, out: bufio.NewWriter(p.stdout), max: 1 << 30}
	args := p.args[1:]
	var roots []string
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != "(" && args[0] != "!" {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	e := &expression{f: f, rest: args}
	test, err := e.list()
	if err == nil && len(e.rest) > 0 {
		err = fmt.Errorf("unexpected '%s'", e.rest[0])
	}
	if err != nil {
		return p.fail(1, "%v", err)
	}
	f.test = test
	for _, root := range roots {
		info, err := p.tree.info(p.abs(root))
		if err != nil {
			fmt.Fprintf(p.stderr, "find: '%s': %v\n", root, reason(err))
			f.code = 1
			continue
		}
		f.walk(&found{name: root, abs: p.abs(root), info: info})
	}
	for _, b := range f.batches {
		f.run(b)
	}
	if err := f.out.Flush(); err != nil {
		return written(err)
	}
	if f.code != 0 {
		return &ExitError{Code: f.code}
	}
	return nil
}

func (f *finder) walk(at *found) {
	if f.quit || f.ctx.Err() != nil {
		return
	}
	visit := func() {
		if at.level < f.min {
			return
		}
		if (f.test == nil || f.test(at)) && !f.action {
			f.out.WriteString(at.name + "\n")
		}
	}
	if !f.depth {
		visit()
	}
	if at.info.IsDir() && at.level < f.max && !at.prune {
		entries, err := f.p.tree.readDir(at.abs)
		if err != nil {
			fmt.Fprintf(f.p.stderr, "find: '%s': %v\n", at.name, reason(err))
			f.code = 1
		}
		for _, e := range entries {
			info, _ := e.Info()
			name := at.name + "/" + e.Name()
			if strings.HasSuffix(at.name, "/") {
				name = at.name + e.Name()
			}
			f.walk(&found{name: name, abs: path.Join(at.abs, e.Name()), info: info, level: at.level + 1})
		}
	}
	if f.depth && !f.quit {
		visit()
	}
}

// run runs a batch for the names it has.
func (f *finder) run(b *batch) {
	if len(b.names) == 0 {
		return
	}
	var args []string
	for _, a := range b.cmd {
		if a == "{}" {
			args = append(args, b.names...)
		} else {
			args = append(args, a)
		}
	}
	b.names, b.size = nil, 0
	if !f.exec(args, f.p.dir) {
		f.code = 1
	}
}

// exec runs a command and reports whether it succeeded.
func (f *finder) exec(args []string, dir string) bool {
	f.out.Flush()
	q := f.p.with(args)
	q.stdin, q.dir = nil, dir
	return f.p.run(f.ctx, q) == nil
}

// An expression is what is left of the arguments to parse.
type expression struct {
	f    *finder
	rest []string
}

func (e *expression) peek() string {
	if len(e.rest) == 0 {
		return ""
	}
	return e.rest[0]
}

func (e *expression) next() string {
	s := e.peek()
	if len(e.rest) > 0 {
		e.rest = e.rest[1:]
	}
	return s
}

// list is expressions joined by -o; nil is an empty one.
func (e *expression) list() (finding, error) {
	left, err := e.and()
	for err == nil && (e.peek() == "-o" || e.peek() == "-or") {
		e.next()
		var right finding
		if right, err = e.and(); err == nil && (left == nil || right == nil) {
			err = fmt.Errorf("invalid expression: -o with nothing beside it")
		}
		l := left
		left = func(f *found) bool { return l(f) || right(f) }
	}
	return left, err
}

func (e *expression) and() (finding, error) {
	var left finding
	for len(e.rest) > 0 && e.peek() != "-o" && e.peek() != "-or" && e.peek() != ")" {
		if e.peek() == "-a" || e.peek() == "-and" {
			e.next()
			continue
		}
		right, err := e.not()
		if err != nil {
			return nil, err
		}
		if left == nil {
			left = right
			continue
		}
		l := left
		left = func(f *found) bool { return l(f) && right(f) }
	}
	return left, nil
}

func (e *expression) not() (finding, error) {
	switch word := e.next(); word {
	case "!", "-not":
		if len(e.rest) == 0 {
			return nil, fmt.Errorf("expected an expression after '%s'", word)
		}
		inner, err := e.not()
		if err != nil {
			return nil, err
		}
		return func(f *found) bool { return !inner(f) }, nil
	case "(":
		inner, err := e.list()
		if err != nil {
			return nil, err
		}
		if e.next() != ")" || inner == nil {
			return nil, fmt.Errorf("invalid expression: '(' without its ')'")
		}
		return inner, nil
	default:
		return e.primary(word)
	}
}

func always(*found) bool { return true }

func (e *expression) primary(word string) (finding, error) {
	f := e.f
	switch word {
	case "-true":
		return always, nil
	case "-false":
		return func(*found) bool { return false }, nil
	case "-depth":
		f.depth = true
		return always, nil
	case "-mount", "-xdev", "-follow", "-daystart", "-noleaf":
		return always, nil
	case "-empty":
		return func(at *found) bool {
			if at.info.IsDir() {
				entries, err := f.p.tree.readDir(at.abs)
				return err == nil && len(entries) == 0
			}
			return at.info.Mode().IsRegular() && at.info.Size() == 0
		}, nil
	case "-prune":
		return func(at *found) bool { at.prune = true; return true }, nil
	case "-quit":
		f.action = true
		return func(*found) bool { f.quit = true; return true }, nil
	case "-print", "-print0", "-ls":
		f.action = true
		end := "\n"
		if word == "-print0" {
			end = "\x00"
		}
		return func(at *found) bool {
			if word == "-ls" {
				fmt.Fprintf(f.out, "%s %8d %s ", at.info.Mode(), at.info.Size(), at.info.ModTime().UTC().Format("Jan _2 15:04"))
			}
			f.out.WriteString(at.name + end)
			return true
		}, nil
	case "-delete":
		f.action, f.depth = true, true
		return func(at *found) bool {
			if at.name == "." || at.name == ".." {
				return true
			}
			err := f.p.tree.do(func() xsys.Errno {
				if at.info.IsDir() {
					return f.p.tree.rmdir(at.abs)
				}
				return f.p.tree.unlink(at.abs)
			}, "remove", at.name)
			if err != nil {
				fmt.Fprintf(f.p.stderr, "find: cannot delete '%s': %v\n", at.name, reason(err))
				f.code = 1
			}
			return err == nil
		}, nil
	case "-exec", "-execdir":
		return e.exec(word)
	}
	// All others take a value.
	if len(e.rest) == 0 {
		switch word {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type", "-size", "-mtime", "-mmin", "-newer", "-maxdepth", "-mindepth", "-perm", "-printf":
			return nil, fmt.Errorf("missing argument to '%s'", word)
		}
		return nil, fmt.Errorf("unknown predicate '%s'", word)
	}
	value := e.next()
	switch word {
	case "-maxdepth", "-mindepth":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("invalid argument '%s' to '%s'", value, word)
		}
		if word == "-maxdepth" {
			f.max = n
		} else {
			f.min = n
		}
		return always, nil
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename":
		re, err := globRegexp(value, strings.HasPrefix(word, "-i"))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(word, "name") && !strings.HasSuffix(word, "wholename") {
			return func(at *found) bool { return re.MatchString(path.Base(at.name)) }, nil
		}
		return func(at *found) bool { return re.MatchString(at.name) }, nil
	case "-regex", "-iregex":
		flags := "(?s)"
		if word == "-iregex" {
			flags = "(?is)"
		}
		re, err := regexp.Compile(flags + `\A(?:` + emacsRegexp(value) + `)\z`)
		if err != nil {
			return nil, err
		}
		return func(at *found) bool { return re.MatchString(at.name) }, nil
	case "-type":
		return func(at *found) bool {
			for t := range strings.SplitSeq(value, ",") {
				m := at.info.Mode()
				if t == "d" && m.IsDir() || t == "f" && m.IsRegular() || t == "c" && m&fs.ModeCharDevice != 0 {
					return true
				}
			}
			return false
		}, nil
	case "-size":
		unit := int64(512)
		units := map[byte]int64{'b': 512, 'c': 1, 'w': 2, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
		if u := units[value[max(len(value)-1, 0)]]; value != "" && u > 0 {
			unit, value = u, value[:len(value)-1]
		}
		cmp, err := compare(value)
		if err != nil {
			return nil, fmt.Errorf("invalid argument '%s' to '-size'", value)
		}
		return func(at *found) bool { return cmp((at.info.Size() + unit - 1) / unit) }, nil
	case "-mtime", "-mmin":
		unit := 24 * time.Hour
		if word == "-mmin" {
			unit = time.Minute
		}
		cmp, err := compare(value)
		if err != nil {
			return nil, fmt.Errorf("invalid argument '%s' to '%s'", value, word)
		}
		now := time.Now()
		return func(at *found) bool { return cmp(int64(now.Sub(at.info.ModTime()) / unit)) }, nil
	case "-newer":
		ref, err := f.p.tree.info(f.p.abs(value))
		if err != nil {
			return nil, fmt.Errorf("'%s': %w", value, reason(err))
		}
		return func(at *found) bool { return at.info.ModTime().After(ref.ModTime()) }, nil
	case "-perm":
		want, err := strconv.ParseInt(strings.TrimLeft(value, "-/"), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("invalid mode '%s'", value)
		}
		return func(at *found) bool {
			have := int64(at.info.Mode().Perm())
			switch value[0] {
			case '-':
				return have&want == want
			case '/':
				return have&want != 0 || want == 0
			}
			return have == want
		}, nil
	case "-printf":
		f.action = true
		return func(at *found) bool { f.out.WriteString(at.format(value)); return true }, nil
	}
	return nil, fmt.Errorf("unknown predicate '%s'", word)
}

// format is what -printf prints.
func (at *found) format(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' && c != '\\' || i+1 == len(format) {
			b.WriteByte(c)
			continue
		}
		i++
		if c == '\\' {
			switch format[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '0':
				b.WriteByte(0)
			default:
				b.WriteByte(format[i])
			}
			continue
		}
		switch format[i] {
		case 'p':
			b.WriteString(at.name)
		case 'f':
			b.WriteString(path.Base(at.name))
		case 'h':
			b.WriteString(path.Dir(at.name))
		case 's':
			b.WriteString(strconv.FormatInt(at.info.Size(), 10))
		case 'd':
			b.WriteString(strconv.Itoa(at.level))
		case 'y':
			b.WriteString(map[bool]string{true: "d", false: "f"}[at.info.IsDir()])
		case 'm':
			b.WriteString(strconv.FormatInt(int64(at.info.Mode().Perm()), 8))
		case 'P':
			parts := strings.Split(at.name, "/")
			b.WriteString(strings.Join(parts[max(len(parts)-at.level, 0):], "/"))
		case '%':
			b.WriteByte('%')
		default:
			b.WriteString("%" + format[i:i+1])
		}
	}
	return b.String()
}

// exec parses what follows -exec.
func (e *expression) exec(word string) (finding, error) {
	f := e.f
	f.action = true
	var cmd []string
	for {
		if len(e.rest) == 0 {
			return nil, fmt.Errorf("missing argument to '%s'", word)
		}
		arg := e.next()
		if arg == ";" {
			break
		}
		if arg == "+" && len(cmd) > 0 && cmd[len(cmd)-1] == "{}" {
			b := &batch{cmd: cmd}
			f.batches = append(f.batches, b)
			return func(at *found) bool {
				if b.size+len(at.name) >= maxArgs {
					f.run(b)
				}
				b.names, b.size = append(b.names, at.name), b.size+len(at.name)+1
				return true
			}, nil
		}
		cmd = append(cmd, arg)
	}
	if len(cmd) == 0 {
		return nil, fmt.Errorf("missing argument to '%s'", word)
	}
	return func(at *found) bool {
		name, dir := at.name, f.p.dir
		if word == "-execdir" {
			name, dir = "./"+path.Base(at.abs), path.Dir(at.abs)
		}
		args := make([]string, len(cmd))
		for i, a := range cmd {
			var ok bool
			if args[i], ok = replaceAll(a, "{}", name); !ok {
				fmt.Fprintf(f.p.stderr, "find: %s: argument line too long\n", cmd[0])
				f.code = 1
				return false
			}
		}
		return f.exec(args, dir)
	}, nil
}

// compare parses N, +N or -N.
func compare(s string) (func(int64) bool, error) {
	n, err := strconv.ParseInt(strings.TrimLeft(s, "+-"), 10, 64)
	if err != nil {
		return nil, err
	}
	switch s[0] {
	case '+':
		return func(v int64) bool { return v > n }, nil
	case '-':
		return func(v int64) bool { return v < n }, nil
	}
	return func(v int64) bool { return v == n }, nil
}

// globRegexp makes a regular expression of a pattern of fnmatch, where * matches slashes.
func globRegexp(pattern string, fold bool) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "(?is)", false: "(?s)"}[fold] + `\A`)
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '[':
			end := strings.IndexByte(pattern[min(i+2, len(pattern)):], ']')
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			set := pattern[i+1 : i+2+end]
			if set[0] == '!' {
				set = "^" + set[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(set, `\`, `\\`) + "]")
			i += 2 + end
		case '\\':
			if i+1 < len(pattern) {
				i++
			}
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString(`\z`)
	return regexp.Compile(b.String())
}

// emacsRegexp writes the default syntax of find's -regex as Go has it: groups and
// alternatives have a backslash.
func emacsRegexp(s string) string {
	return strings.NewReplacer(`\(`, `(`, `\)`, `)`, `\|`, `|`, `(`, `\(`, `)`, `\)`, `|`, `\|`, `{`, `\{`, `}`, `\}`, `\\`, `\\`).Replace(s)
}
