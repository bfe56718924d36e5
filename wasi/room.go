package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The interpreter expands a word in one go: "$x$x$x", ${x//a/$y} and {1..9999}$x ask for as much memory as they
// say, and ${x##$pattern} for as much time, before anybody can tell it to stop. Three rules together keep that small:
//
//   - variables, and the arguments of a command, may have so many bytes altogether; each command looks;
//   - so may what $(command) prints;
//   - a command whose expansions could be more than a few times that has a call of roomy put in front of them, and
//     so has a pattern that is not short. Being in a $(…) it is expanded to nothing, or ends the script.

// shellRoom is how many bytes variables, arguments and the output of a $(command) may have, each.
func (r *Runner) shellRoom() int { return int(max(r.opts.Memory/32, 1<<16)) }

const (
	fewExpansions = 16       // in a command need no look at them
	maxBraces     = 16 << 10 // words that one with braces can become; the interpreter has the same
	shortPattern  = 32       // bytes that need no look at them
	maxPattern    = 64 << 10
	maxMatch      = 1 << 28 // bytes of a pattern times bytes of text: seconds
	substPattern  = 1024    // bytes of a $(command) within a pattern
)

// errRoom ends a script. The interpreter goes on with a command whose expansion had an error: so the look panics with
// an outgrown, which is caught where faults are.
var errRoom = errors.New("too large")

type outgrown struct{ err error }

// A load is what expanding words may come to: bytes written in the script, and how often each variable is in it. "!"
// is a variable that only the run knows.
type load struct {
	bytes int
	vars  map[string]int
}

func (l *load) add(name string, times int) {
	if l.vars == nil {
		l.vars = map[string]int{}
	}
	l.vars[name] = clamp(float64(l.vars[name]) + float64(times))
}

func clamp(f float64) int { return int(min(f, 1<<40)) }

// words adds what is in a word.
func (l *load) word(w *syntax.Word, times int) {
	if w == nil {
		return
	}
	l.parts(w.Parts, clamp(float64(times)*float64(braces(w))))
}

func (l *load) parts(parts []syntax.WordPart, times int) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			l.bytes = clamp(float64(l.bytes) + float64(len(p.Value))*float64(times))
		case *syntax.SglQuoted:
			l.bytes = clamp(float64(l.bytes) + float64(len(p.Value))*float64(times))
		case *syntax.ExtGlob:
			l.bytes = clamp(float64(l.bytes) + float64(len(p.Pattern.Value)+3)*float64(times))
		case *syntax.DblQuoted:
			l.parts(p.Parts, times)
		case *syntax.ParamExp:
			switch {
			case p.Length:
				continue
			case p.Excl || p.Param == nil:
				l.add("!", times)
			default:
				l.add(p.Param.Value, times)
			}
			if p.Exp != nil {
				l.word(p.Exp.Word, times)
			}
			if p.Repl != nil {
				l.word(p.Repl.With, times)
			}
		}
	}
}

// times is how many expansions there are.
func (l *load) times() (n int) {
	for _, t := range l.vars {
		n += t
	}
	return n
}

// args is a load as arguments of roomy.
func (l *load) args() []string {
	out := []string{strconv.Itoa(l.bytes)}
	for name, times := range l.vars {
		out = append(out, name+"="+strconv.Itoa(times))
	}
	slices.Sort(out[1:])
	return append(out, ";")
}

// braces is at most how many words a word becomes.
func braces(w *syntax.Word) int {
	open, commas, out := 0, 0, 1.0
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		open += strings.Count(lit.Value, "{")
		commas += strings.Count(lit.Value, ",")
		if strings.Contains(lit.Value, "..") && open > 0 {
			return maxBraces
		}
	}
	if open > 0 && commas > 0 {
		out = math.Pow(float64(commas+1), float64(min(open, 20)))
	}
	return int(min(out, maxBraces))
}

// fence puts a look at what the words of one command come to in front of the first that has an expansion. few is how
// many expansions need none.
func fence(few int, words ...*syntax.Word) {
	var l load
	var first *syntax.Word
	for _, w := range words {
		before := l.times()
		l.word(w, 1)
		if first == nil && w != nil && (l.times() > before || braces(w) > 1) {
			first = w
		}
	}
	if first == nil || l.times() <= few && l.bytes <= 2*maxScript {
		return
	}
	at := 0
	if len(first.Parts) > 0 {
		if _, ok := first.Parts[0].(*syntax.Lit); ok {
			at = 1 // a tilde must stay the first
		}
	}
	first.Parts = slices.Insert(slices.Clone(first.Parts), at, syntax.WordPart(look(append([]string{"size"}, l.args()...))))
}

// look is a call of roomy, with the positional parameters.
func look(args []string) *syntax.CmdSubst {
	call := &syntax.CallExpr{Args: []*syntax.Word{literal(hiddenRoom)}}
	for _, a := range args {
		call.Args = append(call.Args, &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: a}}})
	}
	all := &syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "@"}}
	call.Args = append(call.Args, &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{all}}}})
	return &syntax.CmdSubst{Stmts: []*syntax.Stmt{{Cmd: call}}}
}

// fencePattern puts a look at a pattern, and the text that it is for, in front of it. text is the name of a
// variable, "" if it is not known.
func fencePattern(w *syntax.Word, text string) {
	if w == nil || short(w, shortPattern) {
		return
	}
	w.Parts = append([]syntax.WordPart{look(append([]string{"match", text}, patternLoad(w).args()...))}, w.Parts...)
}

// patternLoad is the load of a pattern, whose $(command)s it has print little.
func patternLoad(w *syntax.Word) *load {
	l := &load{}
	l.word(w, 1)
	var visit func([]syntax.WordPart)
	visit = func(parts []syntax.WordPart) {
		for _, part := range parts {
			switch p := part.(type) {
			case *syntax.DblQuoted:
				visit(p.Parts)
			case *syntax.CmdSubst:
				if len(p.Stmts) == 0 {
					continue
				}
				l.bytes += substPattern
				p.Stmts = []*syntax.Stmt{{Cmd: &syntax.BinaryCmd{
					Op: syntax.Pipe, X: &syntax.Stmt{Cmd: &syntax.Block{Stmts: p.Stmts}}, Y: hidden(hiddenCat + "-short"),
				}}}
			}
		}
	}
	visit(w.Parts)
	return l
}

// short reports whether a word is text of at most n bytes.
func short(w *syntax.Word, n int) bool {
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			n -= len(p.Value)
		case *syntax.SglQuoted:
			n -= len(p.Value)
		case *syntax.DblQuoted:
			if !short(&syntax.Word{Parts: p.Parts}, n) {
				return false
			}
			l := load{}
			l.parts(p.Parts, 1)
			n -= l.bytes
		default:
			return false
		}
	}
	return n >= 0
}

// fenceParam puts a look in front of what ${x/a/b}, ${x#a} and the like do.
func fenceParam(p *syntax.ParamExp) {
	name := "!"
	if p.Param != nil && !p.Excl {
		name = p.Param.Value
	}
	switch {
	case p.Repl != nil && p.Repl.Orig != nil:
		if p.Repl.With != nil && !short(p.Repl.With, 8) && p.Repl.All {
			var with load
			with.word(p.Repl.With, 1)
			args := append(append([]string{"replace", name}, patternLoad(p.Repl.Orig).args()...), with.args()...)
			p.Repl.Orig.Parts = append([]syntax.WordPart{look(args)}, p.Repl.Orig.Parts...)
			return
		}
		fencePattern(p.Repl.Orig, name)
	case p.Exp != nil:
		switch p.Exp.Op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix,
			syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
			fencePattern(p.Exp.Word, name)
		}
	}
}

// fences puts all looks in front of what a node expands.
func fences(node syntax.Node) {
	assigns := func(all []*syntax.Assign) (words []*syntax.Word) {
		for _, as := range all {
			words = append(words, as.Value)
			if as.Array != nil {
				for _, e := range as.Array.Elems {
					words = append(words, e.Value)
				}
			}
		}
		return words
	}
	switch n := node.(type) {
	case *syntax.CallExpr:
		few := fewExpansions
		if len(n.Args) == 0 {
			few = 0 // there is no command that would look at the variables
		}
		fence(fewExpansions, n.Args...)
		fence(few, assigns(n.Assigns)...)
	case *syntax.DeclClause:
		fence(0, assigns(n.Args)...)
	case *syntax.WordIter:
		fence(fewExpansions, n.Items...)
	case *syntax.Redirect:
		fence(fewExpansions, n.Word)
		fence(fewExpansions, n.Hdoc)
	case *syntax.CaseClause:
		fence(fewExpansions, n.Word)
		for _, item := range n.Items {
			for _, w := range item.Patterns {
				fencePattern(w, "!")
			}
		}
	case *syntax.BinaryTest:
		x, _ := n.X.(*syntax.Word)
		fence(fewExpansions, x)
		if y, _ := n.Y.(*syntax.Word); n.Op == syntax.TsMatch || n.Op == syntax.TsMatchShort || n.Op == syntax.TsNoMatch || n.Op == syntax.TsReMatch {
			fencePattern(y, "!")
		} else {
			fence(fewExpansions, y)
		}
	case *syntax.UnaryTest:
		x, _ := n.X.(*syntax.Word)
		fence(fewExpansions, x)
	case *syntax.ParamExp:
		fenceParam(n)
	}
}

// size is the bytes of a variable.
func size(v expand.Variable) int {
	n := len(v.Str) + len(v.List)*16
	for _, s := range v.List {
		n += len(s)
	}
	for key, s := range v.Map {
		n += len(key) + len(s) + 32
	}
	return n
}

// checkRoom ends a script whose variables have grown too large.
func (s *shellState) checkRoom(env expand.Environ, args []string) error {
	all, room := 0, s.p.r.shellRoom()
	env.Each(func(name string, v expand.Variable) bool {
		all += size(v)
		return true
	})
	if all > room {
		return fmt.Errorf("variables are %w: %d bytes, %d are allowed", errRoom, all, room)
	}
	all = 0
	for _, a := range args {
		all += len(a) + 16
	}
	if all > 2*room {
		return fmt.Errorf("arguments of %.20s are %w: %d bytes, %d are allowed", args[0], errRoom, all, 2*room)
	}
	return nil
}

// roomy is the look: roomy size LOAD, roomy match NAME LOAD, roomy replace NAME LOAD LOAD, and then the positional
// parameters. A load is bytes, NAME=TIMES…, and a semicolon.
func (s *shellState) roomy(hc interp.HandlerContext, args []string) error {
	refuse := func(format string, args ...any) { panic(outgrown{fmt.Errorf(format, args...)}) }
	kind, text := args[0], ""
	rest := args[1:]
	if kind != "size" {
		text, rest = rest[0], rest[1:]
	}
	var loads [2][]string
	want := 1
	if kind == "replace" {
		want = 2
	}
	for i := range want {
		end := slices.Index(rest, ";")
		loads[i], rest = rest[:end], rest[end+1:]
	}
	params := 0
	for _, p := range rest {
		params += len(p)
	}
	sizeOf := func(name string) int {
		switch {
		case name == "!":
			most := params
			hc.Env.Each(func(_ string, v expand.Variable) bool {
				most = max(most, size(v))
				return true
			})
			return most
		case name == "@" || name == "*":
			return params
		case name[0] >= '0' && name[0] <= '9':
			if i, err := strconv.Atoi(name); err == nil && i > 0 && i <= len(rest) {
				return len(rest[i-1])
			}
			return 0
		}
		_, v := hc.Env.Get(name).Resolve(hc.Env)
		if v.IsSet() {
			return size(v)
		}
		return size(hc.Env.Get(name))
	}
	sum := func(load []string) int {
		n, _ := strconv.ParseFloat(load[0], 64)
		for _, l := range load[1:] {
			i := strings.LastIndexByte(l, '=')
			times, _ := strconv.ParseFloat(l[i+1:], 64)
			n += times * float64(sizeOf(l[:i]))
		}
		return clamp(n)
	}
	first := sum(loads[0])
	limit := int(s.p.r.opts.Memory)
	if kind == "size" {
		if err := s.checkRoom(hc.Env, nil); err != nil {
			panic(outgrown{err})
		}
		if first > limit {
			refuse("the expansions of a command are %w: up to %d bytes, %d are allowed", errRoom, first, limit)
		}
		return nil
	}
	n := sizeOf(text)
	if first > maxPattern || float64(first)*float64(n) > maxMatch {
		refuse("a pattern is %w: %d bytes, for %d bytes of text", errRoom, first, n)
	}
	if kind == "replace" {
		if most := float64(n+1) * float64(sum(loads[1])); most > float64(limit) {
			refuse("a replacement is %w: up to %.0f bytes, %d are allowed", errRoom, most, limit)
		}
	}
	return nil
}

// A subst is the output of a $(command), which the interpreter holds.
type subst struct {
	s *shellState
	w interface {
		io.Writer
		Len() int
	}
}

func (b subst) Write(buf []byte) (int, error) {
	if room := b.s.p.r.shellRoom(); b.w.Len()+len(buf) > room {
		b.s.stop(fmt.Errorf("the output of a $(command) is %w: %d bytes are allowed", errRoom, room))
		return 0, io.ErrClosedPipe
	}
	return b.w.Write(buf)
}

// bound is the output of a command of the script.
func (s *shellState) bound(w io.Writer) io.Writer {
	if b, ok := w.(*strings.Builder); ok {
		return subst{s, b}
	}
	if b, ok := w.(*bytes.Buffer); ok {
		return subst{s, b}
	}
	return w
}

// copyIn is what $(<file) is made of, and the end of a $(command) in a pattern.
func (s *shellState) copyIn(ctx context.Context, q *proc, limit int) error {
	if q.stdin == nil {
		return nil
	}
	n, err := io.Copy(q.stdout, io.LimitReader(q.stdin, int64(limit)+1))
	if n > int64(limit) {
		return fmt.Errorf("the output of a $(command) in a pattern is %w: %d bytes are allowed", errRoom, limit)
	}
	return written(err)
}
