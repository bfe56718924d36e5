package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"samkit.dev/wasi/internal/documents"
)

// A yqRun is one call of yq: documents of some format go through jq as JSON, and come out in some format.
type yqRun struct {
	p                                       *proc
	from, to                                documents.Format // "" is that of the file
	o                                       documents.Options
	raw, compact, exit, slurp, null, joined bool
	inPlace, front                          bool
	args                                    []string // for jq: variables
	filter                                  string
	files                                   []string
}

// What a yq that fails has as its exit code.
const (
	yqUsage = 1
	yqFile  = 2
	yqWrong = 5
)

// yq [OPTION]... [FILTER] [FILE]...
func yq(ctx context.Context, p *proc) error {
	y := &yqRun{p: p, filter: "."}
	if err := y.parse(); err != nil {
		return err
	}
	if y.inPlace && (len(y.files) == 0 || y.null) {
		return p.fail(yqUsage, "-i needs a file")
	}
	if y.null || len(y.files) == 0 {
		y.files = []string{"-"}
	}
	last, any := true, false // what came out last is something
	for i, file := range y.files {
		out, docs, err := y.file(ctx, file)
		if err != nil {
			return err
		}
		for j, values := range docs {
			for _, v := range values {
				any = true
				last = v != nil && v != false
			}
			if len(values) > 0 && (i > 0 || j > 0) && y.to == documents.YAML && !y.inPlace && !y.joined && !y.slurp {
				if _, err := p.stdout.Write([]byte("---\n")); err != nil {
					return written(err)
				}
			}
			if y.inPlace {
				continue
			}
			if _, err := p.stdout.Write(out[j]); err != nil {
				return written(err)
			}
		}
		if !y.inPlace {
			continue
		}
		sep := []byte("")
		if y.to == documents.YAML {
			sep = []byte("---\n")
		}
		if err := p.tree.write(p.abs(file), bytes.Join(out, sep)); err != nil {
			return p.fail(yqFile, "%s: %v", file, reason(err))
		}
	}
	if y.exit && (!last || !any) {
		return &ExitError{Code: 1}
	}
	return nil
}

// parse reads the arguments. Options may stand behind the filter and the files, as people write them.
func (y *yqRun) parse() error {
	p := y.p
	rest := p.args[1:]
	if len(rest) > 0 && (rest[0] == "eval" || rest[0] == "e") {
		rest = rest[1:]
	}
	y.o = documents.Options{Indent: 2, Attribute: "+@", Content: "+content", Room: int(p.r.opts.Memory / 4)}
	var operands []string
	filtered := false
	for len(rest) > 0 {
		q := p.with(append([]string{p.args[0]}, rest...))
		opts, operand, err := q.getopt(`p: input-format: o: output-format: i inplace in-place r raw-output unwrapScalar c compact compact-output e exit-status
			s slurp n null-input j join-output f front-matter P prettyPrint I: indent: xml-attribute-prefix: xml-content-name: csv-delimiter: csv-separator: csv-header
			no-csv-header arg argjson from-file:`)
		if err != nil {
			return &ExitError{Code: yqUsage}
		}
		taken := 0
		for _, o := range opts {
			switch o.name {
			case "arg", "argjson":
				if len(operand) < taken+2 {
					return p.fail(yqUsage, "--%s takes two arguments: a name and a value", o.name)
				}
				y.args = append(y.args, "--"+o.name, operand[taken], operand[taken+1])
				taken += 2
				continue
			case "from-file":
				text, err := p.input(o.value)
				if err != nil {
					return p.fail(yqFile, "%s: %v", o.value, err)
				}
				y.filter, filtered = string(text), true
				continue
			}
			if err := y.option(o); err != nil {
				return err
			}
		}
		rest = operand[taken:]
		if taken == 0 && len(rest) > 0 {
			operands, rest = append(operands, rest[0]), rest[1:]
		}
	}
	if len(operands) == 1 && !filtered && !y.null {
		// One that is a file is no filter.
		if info, err := p.tree.info(p.abs(operands[0])); operands[0] == "-" || err == nil && !info.IsDir() {
			y.files = operands
			return y.formats()
		}
	}
	if len(operands) > 0 && !filtered {
		y.filter, operands = operands[0], operands[1:]
	}
	y.files = operands
	return y.formats()
}

func (y *yqRun) option(o option) error {
	p := y.p
	format := func() (documents.Format, error) {
		f, ok := documents.ParseFormat(strings.TrimPrefix(o.value, "="))
		if !ok {
			return "", p.fail(yqUsage, "unknown format '%s': yaml, json, toml, xml, ini, csv and tsv are known", o.value)
		}
		return f, nil
	}
	var err error
	switch o.name {
	case "p", "input-format":
		y.from, err = format()
	case "o", "output-format":
		y.to, err = format()
	case "i", "inplace", "in-place":
		y.inPlace = true
	case "r", "raw-output", "unwrapScalar":
		y.raw = true
	case "c", "compact", "compact-output":
		y.compact = true
	case "e", "exit-status":
		y.exit = true
	case "s", "slurp":
		y.slurp = true
	case "n", "null-input":
		y.null = true
	case "j", "join-output":
		y.joined, y.raw = true, true
	case "f", "front-matter":
		y.front = true
	case "I", "indent":
		n, nerr := strconv.Atoi(strings.TrimPrefix(o.value, "="))
		if nerr != nil || n < 0 || n > 9 {
			return p.fail(yqUsage, "-I is a number from 0 to 9, not '%s'", o.value)
		}
		y.o.Indent = n
	case "xml-attribute-prefix":
		y.o.Attribute = o.value
	case "xml-content-name":
		y.o.Content = o.value
	case "csv-delimiter", "csv-separator":
		c, n := utf8.DecodeRuneInString(unescape(o.value))
		if n != len(unescape(o.value)) || c == '"' || c == '\r' || c == '\n' || c == utf8.RuneError {
			return p.fail(yqUsage, "a delimiter is one character, not '%s'", o.value)
		}
		y.o.Delimiter = c
	case "csv-header":
		y.o.Headerless = false
	case "no-csv-header":
		y.o.Headerless = true
	}
	return err
}

// formats finds out what is not said: YAML comes out, but a file that is written keeps its format.
func (y *yqRun) formats() error {
	if y.from == "" && len(y.files) > 0 {
		y.from, _ = documents.FormatOf(y.files[0])
	}
	if y.from == "" {
		y.from = documents.YAML
	}
	if y.to == "" && y.inPlace {
		y.to = y.from
	}
	if y.to == "" {
		y.to = documents.YAML
	}
	if y.compact {
		y.o.Indent = 0
	}
	return nil
}

// file returns what comes out of a file: values and their text, of each document.
func (y *yqRun) file(ctx context.Context, name string) (out [][]byte, docs [][]any, err error) {
	p := y.p
	inputs := []any{nil}
	var rest []byte // behind the front matter
	var fence string
	if !y.null {
		data, err := p.input(name)
		if err != nil {
			return nil, nil, p.fail(yqFile, "%s: %v", name, err)
		}
		from := y.from
		if y.front {
			if data, rest, fence, from, err = frontMatter(data); err != nil {
				return nil, nil, p.fail(1, "%s: %v", name, err)
			}
			if y.inPlace {
				y.to = from
			}
		}
		if inputs, err = documents.Read(from, data, &y.o); err != nil {
			return nil, nil, p.fail(yqWrong, "parse error: %s: %v", name, err)
		}
		if y.slurp {
			inputs = []any{inputs}
		}
	}
	for _, in := range inputs {
		values, err := y.jq(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		var b []byte
		for i, v := range values {
			text, err := y.write(v)
			if err != nil {
				return nil, nil, p.fail(yqWrong, "%v", err)
			}
			if i > 0 && y.inPlace && y.to == documents.YAML {
				b = append(b, "---\n"...)
			}
			if b = append(b, text...); int64(len(b)) > p.r.opts.Memory {
				return nil, nil, p.fail(yqWrong, "%v", documents.ErrRoom)
			}
		}
		if y.front && y.inPlace {
			b = fmt.Appendf(nil, "%s\n%s%s\n%s", fence, b, fence, rest)
		}
		out, docs = append(out, b), append(docs, values)
	}
	return out, docs, nil
}

// write is one value as text. A string that is all there is, is written without quotes in YAML.
func (y *yqRun) write(v any) ([]byte, error) {
	s, isString := v.(string)
	if d, ok := v.(documents.Date); ok {
		s, isString = string(d), true
	}
	var text []byte
	var err error
	if isString && (y.to != documents.JSON || y.raw) {
		text = []byte(s + "\n")
	} else {
		text, err = documents.Write(y.to, v, &y.o)
	}
	if y.joined {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	return text, err
}

// jq runs the filter on a value.
func (y *yqRun) jq(ctx context.Context, in any) ([]any, error) {
	if y.filter == "." || y.filter == "" {
		return []any{in}, nil
	}
	p := y.p
	args := []string{"jq", "-c"}
	if y.null {
		args = append(args, "-n")
	}
	filter := y.filter
	if filter[0] == '-' {
		filter = " " + filter
	}
	args = append(append(args, y.args...), filter)
	q := p.with(args)
	var out, errs room
	out.left, errs.left = p.r.opts.Memory/4, 1<<16
	q.stdin, q.stdout, q.stderr = bytes.NewReader(documents.AppendJSON(nil, in, 0)), &out, &errs
	err := guarded(ctx, q, ofModule("jq", nil))
	if why := ctx.Err(); why != nil {
		return nil, why
	}
	if out.left < 0 {
		return nil, p.fail(yqWrong, "%v", documents.ErrRoom)
	}
	if err != nil {
		said := strings.TrimSpace(strings.ReplaceAll(errs.String(), "jq: ", ""))
		fmt.Fprintf(p.stderr, "%s: %s\n", p.name(), strings.ReplaceAll(said, "\n", "\n"+p.name()+": "))
		return nil, &ExitError{Code: max(code(err), 1)}
	}
	o := y.o
	values, rerr := documents.Read(documents.JSON, out.Bytes(), &o)
	if rerr != nil {
		return nil, p.fail(yqWrong, "%v", rerr)
	}
	if len(bytes.TrimSpace(out.Bytes())) == 0 {
		values = nil
	}
	for i, v := range values {
		values[i] = documents.Keep(in, v)
	}
	return values, nil
}

// A room is a buffer that has an end.
type room struct {
	bytes.Buffer
	left int64
}

func (r *room) Write(buf []byte) (int, error) {
	if r.left -= int64(len(buf)); r.left < 0 {
		return 0, documents.ErrRoom
	}
	return r.Buffer.Write(buf)
}

// frontMatter parts what stands above a text between --- (YAML) or +++ (TOML).
func frontMatter(data []byte) (front, rest []byte, fence string, f documents.Format, err error) {
	text := strings.TrimLeft(string(data), " \t\r\n")
	for fence, f := range map[string]documents.Format{"---": documents.YAML, "+++": documents.TOML} {
		body, ok := strings.CutPrefix(text, fence+"\n")
		if !ok {
			continue
		}
		front, rest, ok := strings.Cut("\n"+body, "\n"+fence+"\n")
		if !ok {
			if front, ok = strings.CutSuffix("\n"+body, "\n"+fence); !ok {
				continue
			}
		}
		return []byte(strings.TrimPrefix(front, "\n") + "\n"), []byte(rest), fence, f, nil
	}
	return nil, nil, "", "", errors.New("there is no front matter")
}
