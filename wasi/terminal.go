package wasi

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// onTerminal has commands behave as they do before a person: with TERM set to something else than dumb, those whose
// output is not piped or redirected use columns and colours, and rg looks at files instead of waiting for
// what is typed. Commands can't ask themselves, since streams of WASI are no terminals.
func (s *shellState) onTerminal(hc interp.HandlerContext, q *proc) {
	if term := s.p.getenv("TERM"); term == "" || term == "dumb" {
		return
	}
	if q.args[0] == "rg" && s.stdin != nil && any(hc.Stdin) == any(s.stdin) {
		q.stdin = nil
	}
	if hc.Stdout != io.Writer(&s.out) {
		return
	}
	var as []string
	switch q.args[0] {
	case "ls":
		as = []string{"ls", "-C", "--color"}
	case "grep", "egrep", "fgrep":
		as = []string{q.args[0], "--color=always"}
	default:
		return
	}
	q.args = append(as, q.args[1:]...)
}

// Incomplete reports whether a script is the beginning of a longer one, such as "for i in 1 2; do". Who reads lines
// from a person asks for more, and runs them together.
func Incomplete(script string) bool {
	line := strings.TrimSuffix(script, "\n")
	if (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1 {
		return true
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	return err != nil && syntax.IsIncomplete(err)
}

// maxWords is how many words Complete returns.
const maxWords = 200

// shellWords are the commands that are part of the shell.
var shellWords = strings.Fields(`alias break case cd command continue declare echo eval exit export false for function getopts history if let local printf pwd read
	return set shift shopt source test trap true type unalias unset until wait while`)

// Complete returns the words that may stand at the end of a line in place of line[from:], in order and quoted as the shell wants
// them: commands where one is expected, variables after a $, files elsewhere. A folder ends with a slash. It is not
// called while a script runs.
func (s *Shell) Complete(ctx context.Context, line string) (from int, words []string) {
	from, command := lastWord(line)
	word := unquote(line[from:])
	var all []string
	switch {
	case strings.HasPrefix(line[from:], "$"):
		if s.st != nil && s.st.interp != nil {
			for name := range s.st.interp.Vars {
				all = append(all, "$"+name)
			}
		}
		words = matching(all, word)
		return from, words
	case command && !strings.Contains(word, "/"):
		all = append(slices.Clone(s.r.names), shellWords...)
		if s.st != nil && s.st.interp != nil {
			all = slices.AppendSeq(all, maps.Keys(s.st.interp.Funcs))
		}
		return from, matching(all, word)
	}
	dir, base := path.Split(word)
	for _, e := range s.folder(ctx, dir) {
		name := e.Name()
		if strings.HasPrefix(name, ".") && base == "" {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		all = append(all, name)
	}
	for _, name := range matching(all, base) {
		words = append(words, quote(dir+name))
	}
	return from, words
}

// folder lists a folder as the shell names it.
func (s *Shell) folder(ctx context.Context, dir string) []fs.DirEntry {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = path.Join(projectDir, rest)
	}
	if !path.IsAbs(dir) {
		dir = path.Join(s.Dir(), dir)
	}
	t := newTree(ctx, s.r.engine, s.cmd.Files, s.r.names, s.r.opts.Memory)
	if s.st != nil && s.st.p != nil && strings.HasPrefix(dir, "/tmp") {
		t = s.st.p.tree
	}
	entries, err := t.readDir(path.Clean(dir))
	if err != nil {
		return nil // nothing to offer
	}
	return entries
}

// matching returns the words that begin with a text, in order, each once.
func matching(all []string, text string) []string {
	all = slices.DeleteFunc(all, func(w string) bool { return !strings.HasPrefix(w, text) })
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxWords)]
}

// lastWord returns where the last word of a line begins, and whether a command is expected there.
func lastWord(line string) (from int, command bool) {
	command = true
	var quoted byte
	inWord := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted != 0:
			if c == '\\' && quoted == '"' {
				i++
			} else if c == quoted {
				quoted = 0
			}
			continue
		case strings.IndexByte(" \t\n|&;()<>`", c) >= 0:
			switch {
			case strings.IndexByte("|&;(`\n", c) >= 0:
				command = true
			case c == '<' || c == '>':
				command = false
			case inWord && !slices.Contains([]string{"do", "then", "else", "if", "while", "until", "!", "{", "time"}, line[from:i]) && !strings.Contains(line[from:i], "="):
				command = false
			}
			inWord, from = false, i+1
			continue
		case c == '\'' || c == '"':
			quoted = c
		case c == '\\':
			i++
		}
		inWord = true
	}
	return min(from, len(line)), command
}

// unquote takes the quotes out of the beginning of a word.
func unquote(word string) string {
	var b strings.Builder
	var quoted byte
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case quoted != 0 && c == quoted:
			quoted = 0
		case quoted == 0 && (c == '\'' || c == '"'):
			quoted = c
		case c == '\\' && quoted != '\'' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quote puts a backslash before what the shell would read otherwise.
func quote(name string) string {
	var b strings.Builder
	for i, c := range name {
		if strings.ContainsRune(" \t\"'\\$`&|;<>()*?[]{}#!", c) || c == '~' && i > 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
