package wasi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// A jqRun is one run of jq.
type jqRun struct {
	raw, join, compact, tab, exitStatus, nullInput, rawInput, slurp bool

	indent int
	names  []string
	values []any
	named  map[string]any
}

// jq [OPTION]... FILTER [FILE]... as gojq has it: objects come with sorted keys.
func jq(ctx context.Context, p *proc) error {
	r := &jqRun{indent: 2, named: map[string]any{}}
	var operands []string
	var filter *string
	positional, jsonArgs := []any{}, false
	takesArgs := false
	rest := p.args[1:]
	take := func(n int) ([]string, bool) {
		if len(rest) < n {
			return nil, false
		}
		out := rest[:n]
		rest = rest[n:]
		return out, true
	}
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		if len(arg) < 2 || arg[0] != '-' {
			switch {
			case filter == nil:
				filter = &arg
			case takesArgs && jsonArgs:
				v, err := jqValue(arg)
				if err != nil {
					return p.fail(2, "invalid JSON text passed to --jsonargs")
				}
				positional = append(positional, v)
			case takesArgs:
				positional = append(positional, arg)
			default:
				operands = append(operands, arg)
			}
			continue
		}
		if long, ok := strings.CutPrefix(arg, "--"); ok {
			if known, err := r.long(p, long, take); err != nil {
				return err
			} else if known {
				continue
			}
			switch long {
			case "":
				operands, rest = append(operands, rest...), nil
				if filter == nil && len(operands) > 0 {
					filter, operands = &operands[0], operands[1:]
				}
			case "args", "jsonargs":
				takesArgs, jsonArgs = true, long == "jsonargs"
			case "from-file":
				text, err := jqFilterFile(p, take)
				if err != nil {
					return err
				}
				filter = text
			default:
				return p.fail(2, "Unknown option: %s", arg)
			}
			continue
		}
		for _, c := range arg[1:] {
			if c == 'f' {
				text, err := jqFilterFile(p, take)
				if err != nil {
					return err
				}
				if filter != nil { // jq takes the first operand for a file then
					operands = append(operands, *filter)
				}
				filter = text
				continue
			}
			if !r.short(c) {
				return p.fail(2, "Unknown option: %s", arg)
			}
		}
	}
	if filter == nil {
		return p.usage("[OPTIONS] FILTER [FILE]...")
	}
	r.named["positional"] = positional
	return r.run(ctx, p, *filter, operands)
}

func jqFilterFile(p *proc, take func(int) ([]string, bool)) (*string, error) {
	v, ok := take(1)
	if !ok {
		return nil, p.fail(2, "-f takes a parameter")
	}
	data, err := p.input(v[0])
	if err != nil {
		return nil, p.fail(2, "%s: %v", v[0], err)
	}
	text := string(data)
	return &text, nil
}

func (r *jqRun) short(c rune) bool {
	switch c {
	case 'r':
		r.raw = true
	case 'j':
		r.raw, r.join = true, true
	case 'c':
		r.compact = true
	case 'n':
		r.nullInput = true
	case 'R':
		r.rawInput = true
	case 's':
		r.slurp = true
	case 'e':
		r.exitStatus = true
	case 'S', 'M', 'a', 'C':
		// Keys are sorted as it is; there are no colours.
	default:
		return false
	}
	return true
}

func (r *jqRun) long(p *proc, name string, take func(int) ([]string, bool)) (bool, error) {
	short := map[string]rune{
		"raw-output": 'r', "join-output": 'j', "compact-output": 'c', "null-input": 'n', "raw-input": 'R', "slurp": 's',
		"exit-status": 'e', "sort-keys": 'S', "monochrome-output": 'M', "color-output": 'C', "ascii-output": 'a',
	}
	if c, ok := short[name]; ok {
		return r.short(c), nil
	}
	switch name {
	case "tab":
		r.tab = true
	case "indent":
		v, ok := take(1)
		n, err := 0, error(nil)
		if ok {
			n, err = strconv.Atoi(v[0])
		}
		if !ok || err != nil || n < 0 || n > 7 {
			return true, p.fail(2, "--indent takes a number from 0 to 7")
		}
		r.indent = n
		r.compact = r.compact || n == 0
	case "arg", "argjson", "slurpfile", "rawfile":
		v, ok := take(2)
		if !ok {
			return true, p.fail(2, "--%s takes two parameters (e.g. --%s name value)", name, name)
		}
		var value any = v[1]
		if name == "argjson" {
			var err error
			if value, err = jqValue(v[1]); err != nil {
				return true, p.fail(2, "invalid JSON text passed to --argjson")
			}
		}
		if name == "slurpfile" || name == "rawfile" {
			data, err := p.input(v[1])
			if err != nil {
				return true, p.fail(2, "%s: %v", v[1], err)
			}
			value = string(data)
			if name == "slurpfile" {
				all := []any{}
				it := &jqInput{dec: jqDecoder(data)}
				for x, ok := it.Next(); ok; x, ok = it.Next() {
					if err, bad := x.(error); bad {
						return true, p.fail(2, "%s: %v", v[1], err)
					}
					all = append(all, x)
				}
				value = all
			}
		}
		r.names, r.values = append(r.names, "$"+v[0]), append(r.values, value)
		r.named[v[0]] = value
	default:
		return false, nil
	}
	return true, nil
}

func jqDecoder(data []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec
}

func jqValue(text string) (any, error) {
	dec := jqDecoder([]byte(text))
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// A jqInput is the values of the inputs.
type jqInput struct {
	dec   *json.Decoder
	lines []string
	raw   bool
}

func (i *jqInput) Next() (any, bool) {
	if i.raw {
		if len(i.lines) == 0 {
			return nil, false
		}
		line := i.lines[0]
		i.lines = i.lines[1:]
		return line, true
	}
	if i.dec == nil {
		return nil, false
	}
	var v any
	switch err := i.dec.Decode(&v); {
	case err == io.EOF:
		return nil, false
	case err != nil:
		i.dec = nil
		return err, true
	}
	return v, true
}

func (r *jqRun) run(ctx context.Context, p *proc, filter string, operands []string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer watchMemory(ctx, p.r.opts.Memory, stop)()
	query, err := gojq.Parse(filter)
	if err != nil {
		return p.fail(3, "error: %v\njq: 1 compile error", err)
	}
	data, err := p.jqInputs(r, operands)
	if err != nil {
		return err
	}
	in := &jqInput{raw: r.rawInput}
	if r.rawInput {
		in.lines = lines(data)
	} else {
		in.dec = jqDecoder(data)
	}
	named := map[string]any{}
	for k, v := range r.named {
		if k != "positional" {
			named[k] = v
		}
	}
	names, values := append(r.names, "$ARGS"), append(r.values, any(map[string]any{"named": named, "positional": r.named["positional"]}))
	prog, err := gojq.Compile(query, gojq.WithVariables(names), gojq.WithInputIter(in), gojq.WithEnvironLoader(func() []string { return p.env }))
	if err != nil {
		return p.fail(3, "error: %v\njq: 1 compile error", err)
	}
	w := bufio.NewWriter(p.stdout)
	status, last := 0, any(nil)
	seen := false
	one := func(v any) error {
		results := prog.RunWithContext(ctx, v, values...)
		for {
			x, ok := results.Next()
			if !ok {
				return nil
			}
			if err, bad := x.(error); bad {
				w.Flush()
				var halt *gojq.HaltError
				if errors.As(err, &halt) {
					if s, ok := halt.Value().(string); ok {
						io.WriteString(p.stderr, s)
					} else if halt.Value() != nil {
						fmt.Fprintf(p.stderr, "%s\n", jqText(halt.Value()))
					}
					if halt.ExitCode() == 0 {
						return errHalt
					}
					return &ExitError{Code: halt.ExitCode()}
				}
				if errors.Is(context.Cause(ctx), errMemory) {
					return p.fail(exitCrash, "error: %v", errMemory)
				}
				if ctx.Err() != nil {
					return &ExitError{Code: exitStopped}
				}
				fmt.Fprintf(p.stderr, "jq: error: %v\n", err)
				status = 5
				return nil
			}
			seen, last = true, x
			if err := r.print(w, x); err != nil {
				return written(err)
			}
		}
	}
	switch {
	case r.nullInput:
		err = one(nil)
	case r.slurp && r.rawInput:
		err = one(string(data))
	case r.slurp:
		all := []any{}
		for x, ok := in.Next(); ok; x, ok = in.Next() {
			if bad, isErr := x.(error); isErr {
				return p.fail(2, "error: %v", bad)
			}
			all = append(all, x)
		}
		err = one(all)
	default:
		for err == nil {
			x, ok := in.Next()
			if !ok {
				break
			}
			if bad, isErr := x.(error); isErr {
				w.Flush()
				return p.fail(2, "error: %v", bad)
			}
			err = one(x)
		}
	}
	if ferr := w.Flush(); ferr != nil {
		return written(ferr)
	}
	switch {
	case errors.Is(err, errHalt):
		return nil
	case err != nil:
		return err
	case status != 0:
		return &ExitError{Code: status}
	case r.exitStatus && !seen:
		return &ExitError{Code: 4}
	case r.exitStatus && (last == nil || last == false):
		return &ExitError{Code: 1}
	}
	return nil
}

var errHalt = errors.New("wasi: jq: halt")

// jqInputs reads what jq is to look at, unless it looks at nothing.
func (p *proc) jqInputs(r *jqRun, operands []string) ([]byte, error) {
	if r.nullInput && len(operands) == 0 && p.stdin == nil {
		return nil, nil
	}
	if len(operands) == 0 {
		data, err := p.input("-")
		if err != nil {
			return nil, p.fail(2, "error: %v", err)
		}
		return data, nil
	}
	var all []byte
	for _, name := range operands {
		data, err := p.input(name)
		if err != nil {
			return nil, p.fail(2, "error: Could not open file %s: %v", name, err)
		}
		all = append(append(all, data...), '\n')
	}
	return all, nil
}

// jqText is a value on one line.
func jqText(v any) []byte {
	text, err := gojq.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return text
}

func (r *jqRun) print(w *bufio.Writer, v any) error {
	if s, ok := v.(string); ok && r.raw {
		w.WriteString(s)
	} else if text := jqText(v); r.compact {
		w.Write(text)
	} else {
		var b bytes.Buffer
		indent := strings.Repeat(" ", r.indent)
		if r.tab {
			indent = "\t"
		}
		if err := json.Indent(&b, text, "", indent); err != nil {
			return err
		}
		w.Write(b.Bytes())
	}
	if r.join {
		return nil
	}
	return w.WriteByte('\n')
}
