// Package xan is a command for tables of CSV, with the subcommands and the expressions of
// https://github.com/medialab/xan as far as people use them.
package xan

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Env is what a run has.
type Env struct {
	Args   []string // the subcommand first
	Stdout io.Writer
	Read   func(name string) ([]byte, error)    // "-" is standard input
	Write  func(name string, data []byte) error // makes or replaces a file
	Room   int64                                // bytes that tables may have; zero means 64 MiB
	Help   string                               // what --help prints

	ctx      context.Context
	left     int64
	steps    int
	patterns map[string]*regexp.Regexp
	comma    rune
	headless bool
	output   string
	opts     map[string][]string
}

// A UsageError is a call that is wrong. Others are what is wrong with the data.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

var errRoom = errors.New("there is too much data")

// A verb is a subcommand.
type verb struct {
	usage string
	flags string // with a colon if it has a value: "l|limit:"
	least int    // operands before the files
	run   func(e *Env, args []string) error
}

// Verbs is the names of the subcommands, in order.
func Verbs() []string {
	var names []string
	for name := range verbs() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Run runs a subcommand.
func Run(ctx context.Context, e *Env) error {
	e.ctx, e.left, e.steps = ctx, e.Room, maxSteps
	if e.left <= 0 {
		e.left = 64 << 20
	}
	if len(e.Args) == 0 || e.Args[0] == "--help" || e.Args[0] == "-h" || e.Args[0] == "help" {
		_, err := io.WriteString(e.Stdout, e.Help)
		return err
	}
	name := e.Args[0]
	all := verbs()
	v, ok := all[name]
	if !ok {
		return usage("unknown command '%s'; xan --help lists them", name)
	}
	if slices.Contains(e.Args[1:], "--help") || slices.Contains(e.Args[1:], "-h") {
		_, err := io.WriteString(e.Stdout, "usage: xan "+name+" "+v.usage+"\n")
		return err
	}
	operands, err := e.parse(v.flags)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(operands) < v.least {
		return usage("usage: xan %s %s", name, v.usage)
	}
	if e.output != "" && e.output != "-" && !strings.Contains(v.flags, "o|output:") {
		var file bytes.Buffer
		e.Stdout = &file
		if err := v.run(e, operands); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return e.Write(e.output, file.Bytes())
	}
	if err := v.run(e, operands); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// parse reads options, which may stand anywhere, into e.opts by their long names.
func (e *Env) parse(flags string) (operands []string, err error) {
	e.opts, e.comma = map[string][]string{}, 0
	known := map[string]string{}
	takes := map[string]bool{}
	for f := range strings.FieldsSeq(flags + " delimiter: d: no-headers o|output:") {
		f, value := strings.CutSuffix(f, ":")
		short, long, two := strings.Cut(f, "|")
		if !two {
			long = short
		}
		for _, n := range []string{short, long} {
			if _, ok := known[n]; !ok {
				known[n], takes[n] = long, value
			}
		}
	}
	rest := e.Args[1:]
	set := func(name, value string) { e.opts[known[name]] = append(e.opts[known[name]], value) }
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		isNumber := len(arg) > 1 && arg[1] >= '0' && arg[1] <= '9'
		switch {
		case arg == "--":
			operands, rest = append(operands, rest...), nil
		case strings.HasPrefix(arg, "--"):
			name, value, has := strings.Cut(arg[2:], "=")
			if _, ok := known[name]; !ok || len(name) == 1 {
				return nil, usage("unrecognized option '%s'", arg)
			}
			if takes[name] && !has {
				if len(rest) == 0 {
					return nil, usage("option '%s' requires an argument", arg)
				}
				value, rest = rest[0], rest[1:]
			}
			set(name, value)
		case len(arg) > 1 && arg[0] == '-' && !isNumber:
			for i := 1; i < len(arg); i++ {
				name := arg[i : i+1]
				if _, ok := known[name]; !ok {
					return nil, usage("invalid option -- '%s'", name)
				}
				if !takes[name] {
					set(name, "")
					continue
				}
				value := arg[i+1:]
				if value == "" {
					if len(rest) == 0 {
						return nil, usage("option requires an argument -- '%s'", name)
					}
					value, rest = rest[0], rest[1:]
				}
				set(name, value)
				break
			}
		default:
			operands = append(operands, arg)
		}
	}
	e.headless = e.has("no-headers")
	e.output = e.opt("output", "")
	if d := e.opt("delimiter", e.opt("d", "")); d != "" {
		if d == `\t` {
			d = "\t"
		}
		c, n := utf8.DecodeRuneInString(d)
		if n != len(d) || c == '"' || c == '\n' || c == '\r' || c == utf8.RuneError {
			return nil, usage("a delimiter is one character, not '%s'", d)
		}
		e.comma = c
	}
	return operands, nil
}

func (e *Env) has(name string) bool { return len(e.opts[name]) > 0 }

func (e *Env) opt(name, otherwise string) string {
	if v := e.opts[name]; len(v) > 0 {
		return v[len(v)-1]
	}
	return otherwise
}

// count is an option that is a number that is not negative.
func (e *Env) count(name string, otherwise int) (int, error) {
	v := e.opt(name, "")
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, usage("--%s is a number, not '%s'", name, v)
	}
	return n, nil
}

// regexp compiles a regular expression once.
func (e *Env) regexp(text string) (*regexp.Regexp, error) {
	if re := e.patterns[text]; re != nil {
		return re, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression: %w", text, err)
	}
	if e.patterns == nil {
		e.patterns = map[string]*regexp.Regexp{}
	}
	if len(e.patterns) < 1000 {
		e.patterns[text] = re
	}
	return re, nil
}

// A table is rows with names for their columns. Each row has as many cells as there are names.
type table struct {
	env   *Env
	names []string
	rows  [][]string
	index map[string]int // of names
}

func (e *Env) table(names []string) *table { return &table{env: e, names: names} }

// column is where a name is, or -1.
func (t *table) column(name string) int {
	if t.index == nil {
		t.index = map[string]int{}
		for i := len(t.names) - 1; i >= 0; i-- {
			t.index[t.names[i]] = i
		}
	}
	if i, ok := t.index[name]; ok {
		return i
	}
	return -1
}

// add adds a row, if there is room for it.
func (t *table) add(row []string) error {
	size := int64(32)
	for _, c := range row {
		size += int64(len(c)) + 16
	}
	if t.env.left -= size; t.env.left < 0 {
		return errRoom
	}
	t.rows = append(t.rows, row)
	if len(t.rows)%1024 == 0 {
		return t.env.ctx.Err()
	}
	return nil
}

// read reads the file that is the first of the operands, or standard input.
func (e *Env) read(files []string) (*table, error) {
	if len(files) > 1 {
		return nil, usage("one file is expected, not %d", len(files))
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	return e.readFile(files[0])
}

func (e *Env) readFile(name string) (*table, error) {
	data, err := e.Read(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	dec := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	dec.FieldsPerRecord, dec.LazyQuotes = -1, true
	dec.Comma = ','
	switch ext := path.Ext(name); {
	case e.comma != 0:
		dec.Comma = e.comma
	case ext == ".tsv" || ext == ".tab":
		dec.Comma = '\t'
	case ext == ".psv":
		dec.Comma = '|'
	case ext == ".ssv":
		dec.Comma = ';'
	}
	t := e.table(nil)
	ragged := e.has("ragged")
	for {
		row, err := dec.Read()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if t.names == nil {
			if !e.headless {
				t.names = row
				continue
			}
			for i := range row {
				t.names = append(t.names, strconv.Itoa(i))
			}
		}
		if n := len(t.names); len(row) != n && !ragged {
			for len(row) < n {
				row = append(row, "")
			}
			row = row[:n]
		}
		if err := t.add(row); err != nil {
			return nil, err
		}
	}
}

// write writes a table.
func (e *Env) write(t *table) error {
	data, err := t.csv(!e.headless)
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(data)
	return err
}

func (t *table) csv(names bool) ([]byte, error) {
	var b bytes.Buffer
	enc := csv.NewWriter(&b)
	row := func(cells []string) {
		if len(cells) == 1 && cells[0] == "" { // which would be an empty line, and no row
			enc.Flush()
			b.WriteString("\"\"\n")
			return
		}
		enc.Write(cells)
	}
	if names && len(t.names) > 0 {
		row(t.names)
	}
	for _, r := range t.rows {
		row(r)
	}
	enc.Flush()
	return b.Bytes(), enc.Error()
}

// lines writes lines.
func (e *Env) lines(f func(w *bufio.Writer)) error {
	w := bufio.NewWriter(e.Stdout)
	f(w)
	return w.Flush()
}

// scope is what expressions see in a row.
func (t *table) scope(i int) *scope {
	return &scope{t: t, row: t.rows[i], index: i, steps: &t.env.steps}
}

// eval evaluates an expression in a row.
func (t *table) eval(n *node, i int) (any, error) {
	if i%256 == 0 {
		if err := t.env.ctx.Err(); err != nil {
			return nil, err
		}
	}
	v, err := t.scope(i).eval(n)
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", i, err)
	}
	return v, nil
}

// pick resolves a choice of columns: names, indexes, ranges a:c, patterns vec_*, and all but those after a !.
func (t *table) pick(spec string) ([]int, error) {
	spec, but := strings.CutPrefix(strings.TrimSpace(spec), "!")
	var all []int
	for _, part := range splitNames(spec) {
		some, err := t.pickPart(part)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if !but {
		return all, nil
	}
	var rest []int
	for i := range t.names {
		if !slices.Contains(all, i) {
			rest = append(rest, i)
		}
	}
	return rest, nil
}

// splitNames splits at commas outside of quotes.
func splitNames(spec string) (parts []string) {
	var b strings.Builder
	quoted := byte(0)
	for i := 0; i < len(spec); i++ {
		switch c := spec[i]; {
		case quoted == 0 && (c == '"' || c == '\'' || c == '`'):
			quoted = c
		case c == quoted && c != 0:
			quoted = 0
		case c == ',' && quoted == 0:
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, b.String())
}

func (t *table) pickPart(part string) ([]int, error) {
	one := func(name string) (int, error) {
		if i := t.column(name); i >= 0 {
			return i, nil
		}
		if i, err := strconv.Atoi(name); err == nil {
			if i < 0 {
				i += len(t.names)
			}
			if i >= 0 && i < len(t.names) {
				return i, nil
			}
		}
		return 0, fmt.Errorf("there is no column %s", name)
	}
	if i, err := one(part); err == nil {
		return []int{i}, nil
	}
	var some []int
	if from, to, ok := strings.Cut(part, ":"); ok {
		first, last := 0, len(t.names)-1
		var err error
		if from != "" {
			if first, err = one(from); err != nil {
				return nil, err
			}
		}
		if to != "" {
			if last, err = one(to); err != nil {
				return nil, err
			}
		}
		step := 1
		if last < first {
			step = -1
		}
		for i := first; i != last+step; i += step {
			some = append(some, i)
		}
		return some, nil
	}
	if strings.Contains(part, "*") {
		for i, name := range t.names {
			if ok, err := path.Match(part, name); err == nil && ok {
				some = append(some, i)
			}
		}
		if len(some) > 0 {
			return some, nil
		}
	}
	return nil, fmt.Errorf("there is no column %s", part)
}

// pickOne is a choice of exactly one column.
func (t *table) pickOne(spec string) (int, error) {
	some, err := t.pick(spec)
	if err == nil && len(some) != 1 {
		err = fmt.Errorf("%s is not one column", spec)
	}
	if err != nil {
		return 0, err
	}
	return some[0], nil
}

// cells returns the cells of a row at some columns.
func cells(row []string, columns []int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = row[c]
	}
	return out
}

// key is cells as one text.
func key(cells []string) string {
	var b strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&b, "%d:%s", len(c), c)
	}
	return b.String()
}
