package wasi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxArgs is how many bytes of arguments xargs gives to one command, as on Linux.
const maxArgs = 128 << 10

// xargs [-0rt] [-d C] [-n N] [-L N] [-I STR] [-P N] [-a FILE] [COMMAND [ARG]...]
func xargs(ctx context.Context, p *proc) error {
	opts, cmd, err := p.getopt("0 r t d: n: L: I: P: a: s: i null no-run-if-empty max-args: replace: delimiter: max-procs: arg-file: verbose")
	if err != nil {
		return err
	}
	if len(cmd) == 0 {
		cmd = []string{"echo"}
	}
	var (
		from, delim, replace      = "-", "", ""
		most, perLine             = 0, 0
		skip, trace, quoted, null bool
	)
	quoted = true
	for _, o := range opts {
		switch o.name {
		case "0", "null":
			null, quoted = true, false
		case "d", "delimiter":
			delim, quoted = unescape(o.value), false
			if len(delim) != 1 {
				return p.fail(1, "invalid delimiter '%s'", o.value)
			}
		case "r", "no-run-if-empty":
			skip = true
		case "t", "verbose":
			trace = true
		case "I", "replace":
			replace = o.value
		case "i":
			replace = "{}"
		case "a", "arg-file":
			from = o.value
		case "n", "max-args", "L":
			n, err := strconv.Atoi(o.value)
			if err != nil || n < 1 {
				return p.fail(1, "invalid number '%s'", o.value)
			}
			if o.name == "L" {
				perLine = n
			} else {
				most = n
			}
		}
	}
	data, err := p.input(from)
	if err != nil {
		return p.fail(1, "%s: %v", from, err)
	}
	var groups [][]string // that belong to one command at most
	switch {
	case null || delim != "":
		if null {
			delim = "\x00"
		}
		text := strings.TrimSuffix(string(data), delim)
		if len(data) > 0 {
			groups = [][]string{strings.Split(text, delim)}
		}
	case replace != "":
		for _, line := range lines(data) {
			words, err := fields(strings.TrimLeft(line, " \t"), false)
			if err != nil {
				return p.fail(1, "%v", err)
			}
			if len(words) > 0 {
				groups = append(groups, words)
			}
		}
	case perLine > 0:
		for chunk := range slices.Chunk(slices.DeleteFunc(lines(data), func(s string) bool { return strings.TrimSpace(s) == "" }), perLine) {
			words, err := fields(strings.Join(chunk, "\n"), true)
			if err != nil {
				return p.fail(1, "%v", err)
			}
			groups = append(groups, words)
		}
	case quoted:
		words, err := fields(string(data), true)
		if err != nil {
			return p.fail(1, "%v", err)
		}
		if len(words) > 0 {
			groups = [][]string{words}
		}
	}
	if len(groups) == 0 && !skip && replace == "" {
		groups = [][]string{nil}
	}

	var failed error
	runOne := func(args []string) error {
		if trace {
			fmt.Fprintln(p.stderr, strings.Join(args, " "))
		}
		q := p.with(args)
		q.stdin = nil
		switch c := code(p.run(ctx, q)); {
		case ctx.Err() != nil:
			return &ExitError{Code: exitStopped}
		case c == 0:
		case c == exitNotFound || c == exitCannot:
			return &ExitError{Code: c}
		case c == 255:
			return p.fail(124, "%s: exited with status 255; aborting", args[0])
		default:
			failed = &ExitError{Code: 123}
		}
		return nil
	}
	for _, words := range groups {
		if replace != "" {
			for _, w := range words {
				args := slices.Clone(cmd)
				for i := range args {
					var ok bool
					if args[i], ok = replaceAll(args[i], replace, w); !ok {
						return p.fail(1, "argument line too long")
					}
				}
				if err := runOne(args); err != nil {
					return err
				}
			}
			continue
		}
		for first := true; first || len(words) > 0; first = false {
			args, size := slices.Clone(cmd), 0
			for len(words) > 0 && (most == 0 || len(args)-len(cmd) < most) && (size == 0 || size+len(words[0]) < maxArgs) {
				args, size, words = append(args, words[0]), size+len(words[0])+1, words[1:]
			}
			if err := runOne(args); err != nil {
				return err
			}
		}
	}
	return failed
}

// unescape reads the escapes of a delimiter.
func unescape(s string) string {
	switch s {
	case `\n`:
		return "\n"
	case `\t`:
		return "\t"
	case `\0`:
		return "\x00"
	case `\\`:
		return `\`
	}
	return s
}

// fields splits words as xargs does, with quotes and backslashes; if not at blanks, the
// whole text is one word.
func fields(text string, blanks bool) ([]string, error) {
	var out []string
	var word strings.Builder
	has := false
	flush := func() {
		if has {
			out = append(out, word.String())
		}
		word.Reset()
		has = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' || blanks && (c == ' ' || c == '\t'):
			flush()
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			has = true
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 || strings.Contains(text[i+1:i+1+end], "\n") {
				return nil, fmt.Errorf("unmatched %s quote", map[byte]string{'\'': "single", '"': "double"}[c])
			}
			word.WriteString(text[i+1 : i+1+end])
			has = true
			i += end + 1
		default:
			word.WriteByte(c)
			has = true
		}
	}
	flush()
	return out, nil
}

// replaceAll is strings.ReplaceAll, unless the result is longer than an argument may be.
func replaceAll(s, old, with string) (string, bool) {
	if len(s)+strings.Count(s, old)*len(with) > maxArgs {
		return "", false
	}
	return strings.ReplaceAll(s, old, with), true
}
