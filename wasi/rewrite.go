package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The interpreter asks the machine where no handler of ours is asked: for the pipes of
// <(command), the numbers of its process, the programs of `type` and `command -v`, the
// files of `source`, the owner of files and what is a terminal. So scripts are
// rewritten before it sees them, those that are only made while a script runs
// included.

// parse parses a script and rewrites it.
func (s *shellState) parse(script, name string) (*syntax.File, error) {
	if len(script) > maxScript {
		return nil, fmt.Errorf("%s: the script is longer than %d bytes", name, maxScript)
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(shallow{strings.NewReader(script)}, name)
	if err != nil {
		return nil, err
	}
	if err := s.rewrite(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// again parses and rewrites part of a script, and writes it down again.
func (s *shellState) again(script, name string) (string, error) {
	f, err := s.parse(script, name)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = syntax.NewPrinter().Print(&b, f)
	return b.String(), err
}

func (s *shellState) rewrite(root syntax.Node) error {
	var refused error
	refuse := func(pos syntax.Pos, what string) {
		if refused == nil {
			refused = fmt.Errorf("%v: %s", pos, what)
		}
	}
	depth := 0
	syntax.Walk(root, func(node syntax.Node) bool {
		if node == nil {
			depth--
			return true
		}
		if depth++; depth > 1000 {
			refuse(node.Pos(), "nested too deeply")
			depth--
			return false
		}
		fences(node)
		switch n := node.(type) {
		case *syntax.Stmt:
			if n.Background || n.Coprocess || n.Disown {
				refuse(n.Pos(), "there are no jobs here: & is not supported")
			}
			if t, ok := n.Cmd.(*syntax.TimeClause); ok {
				// The interpreter prints times where the command prints.
				start := hiddenTimeStart
				if t.PosixFormat {
					start += "-p"
				}
				block := &syntax.Block{Stmts: []*syntax.Stmt{hidden(start)}}
				if t.Stmt != nil {
					block.Stmts = append(block.Stmts, t.Stmt)
				}
				block.Stmts = append(block.Stmts, hidden(hiddenTimeEnd))
				n.Cmd = block
			}
			if b, ok := n.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) {
				s.halve(b)
			}
		case *syntax.FuncDecl:
			if n.Name != nil {
				s.mu.Lock()
				s.funcs[n.Name.Value] = true
				s.mu.Unlock()
			}
		case *syntax.Word:
			n.Parts = s.parts(n.Parts, refuse)
		case *syntax.DblQuoted:
			n.Parts = s.parts(n.Parts, refuse)
		case *syntax.WhileClause:
			n.Do = turn(n.Do)
		case *syntax.ForClause:
			n.Do = turn(n.Do)
		case *syntax.UnaryTest:
			switch n.Op {
			case syntax.TsUsrOwn, syntax.TsGrpOwn:
				n.Op = syntax.TsExists
			case syntax.TsVarSet:
				// The interpreter has a fault there for an empty name, which is only caught in builtins.
				if x, ok := n.X.(*syntax.Word); ok {
					isSet := &syntax.Stmt{Cmd: &syntax.BinaryCmd{
						Op: syntax.AndStmt,
						X:  &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{literal("test"), literal("-v"), {Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: x.Parts}}}}}},
						Y:  &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{literal("echo"), literal("1")}}},
					}}
					n.Op, n.X = syntax.TsNempStr, &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{&syntax.CmdSubst{Stmts: []*syntax.Stmt{isSet}}}}}}
				}
			case syntax.TsFdTerm:
				n.Op, n.X = syntax.TsNempStr, &syntax.Word{}
			}
		}
		return true
	})
	return refused
}

// turn has each turn of a loop count as a command.
func turn(do []*syntax.Stmt) []*syntax.Stmt {
	return append([]*syntax.Stmt{hidden(hiddenTurn)}, do...)
}

// hidden is a call of a command that only rewritten scripts have.
func hidden(name string) *syntax.Stmt {
	return &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{literal(name)}}}
}

func literal(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}
}

// parts rewrites what words are made of.
func (s *shellState) parts(parts []syntax.WordPart, refuse func(syntax.Pos, string)) []syntax.WordPart {
	out := slices.Clone(parts)
	for i, part := range out {
		switch part := part.(type) {
		case *syntax.ParamExp:
			if part.Param == nil || part.Length || part.Excl {
				continue
			}
			switch part.Param.Value {
			case "$":
				out[i] = &syntax.Lit{Value: "2"}
			case "PPID":
				out[i] = &syntax.Lit{Value: "1"}
			}
			if sub := anchored(part); sub != nil {
				out[i] = sub
			}
		case *syntax.CmdSubst:
			// $(<file) has a command, which is bounded.
			if len(part.Stmts) == 1 && part.Stmts[0].Cmd == nil && len(part.Stmts[0].Redirs) == 1 && part.Stmts[0].Redirs[0].Op == syntax.RdrIn {
				part.Stmts[0].Cmd = hidden(hiddenCat).Cmd
			}
		case *syntax.ProcSubst:
			if part.Op != syntax.CmdIn {
				refuse(part.Pos(), "only <(command) is supported, not >(command)")
				continue
			}
			// $(command >FILE; echo FILE), with a file that each evaluation has for itself.
			stmts := part.Stmts
			s.mu.Lock()
			s.serial++
			name := fmt.Sprintf("/tmp/.subst%d", s.serial)
			s.mu.Unlock()
			run := &syntax.Stmt{
				Cmd:    &syntax.Block{Stmts: stmts},
				Redirs: []*syntax.Redirect{{Op: syntax.RdrOut, Word: literal(name)}},
			}
			if len(stmts) == 0 {
				run.Cmd = nil
			}
			show := &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{literal("echo"), literal(name)}}}
			out[i] = &syntax.CmdSubst{Stmts: []*syntax.Stmt{run, show}}
		}
	}
	return out
}

// Commands that only rewritten scripts have.
const (
	hiddenType      = "samkit--type"
	hiddenCommandV  = "samkit--command-v"
	hiddenBuiltin   = "samkit--builtin"
	hiddenTimeStart = "samkit--time"
	hiddenTimeEnd   = "samkit--timed"
	hiddenPrintf    = "samkit--printf"
	hiddenHistory   = "samkit--history"
	hiddenHalf      = "samkit--half"
	hiddenRoom      = "samkit--room"
	hiddenCat       = "samkit--cat"
	hiddenTurn      = ":"
)

// clock starts the time of a command.
func (s *shellState) clock(posix bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.clocks) < 1000 {
		s.clocks = append(s.clocks, clock{time.Now(), posix})
	}
	return nil
}

// A clock is one command that is timed.
type clock struct {
	began time.Time
	posix bool
}

// clocked prints how long a command took, and passes its exit code on.
func (s *shellState) clocked(q *proc, status int) error {
	s.mu.Lock()
	if len(s.clocks) == 0 {
		s.mu.Unlock()
		return &ExitError{Code: exitNotFound}
	}
	c := s.clocks[len(s.clocks)-1]
	s.clocks = s.clocks[:len(s.clocks)-1]
	s.mu.Unlock()
	took := time.Since(c.began)
	if c.posix {
		fmt.Fprintf(q.stderr, "real %.2f\nuser 0.00\nsys 0.00\n", took.Seconds())
	} else {
		fmt.Fprintf(q.stderr, "\nreal\t%dm%.3fs\nuser\t0m0.000s\nsys\t0m0.000s\n", int(took.Minutes()), (took % time.Minute).Seconds())
	}
	if status != 0 {
		return &ExitError{Code: status}
	}
	return nil
}

// call sees every command before it is run, those of the shell included, and has the latter
// run where their faults are caught: a panic in one half of a pipe would end the program.
func (s *shellState) call(ctx context.Context, args []string) ([]string, error) {
	hc := interp.HandlerCtx(ctx)
	if args[0] != hiddenRoom {
		if err := s.checkRoom(hc.Env, args); err != nil {
			return nil, err
		}
	}
	if b, ok := hc.Stdout.(*strings.Builder); ok && b.Len() > s.p.r.shellRoom() {
		return nil, fmt.Errorf("the output of a $(command) is %w: %d bytes are allowed", errRoom, s.p.r.shellRoom())
	}
	if (args[0] == "eval" || args[0] == "source" || args[0] == "." || s.isFunc(args[0])) && tooDeep() {
		return nil, errDeep
	}
	args, err := s.replace(ctx, args)
	if err == nil && interp.IsBuiltin(args[0]) && !slices.Contains(harmless, args[0]) && !s.isFunc(args[0]) {
		args = append([]string{hiddenBuiltin}, args...)
	}
	return args, err
}

// harmless is the commands of the shell that are run most, and have no faults.
var harmless = []string{":", "true", "false", "echo"}

// builtin runs a command of the shell.
func builtin(ctx context.Context, hc interp.HandlerContext, args []string) (err error) {
	defer func() {
		fault := recover()
		if big, ok := fault.(outgrown); ok {
			err = big.err
		} else if fault != nil {
			fmt.Fprintf(hc.Stderr, "sh: %s: %v\n", args[0], fault)
			err = interp.ExitStatus(2)
		}
	}()
	return hc.Builtin(ctx, args)
}

// replace is what is run in the place of a command.
func (s *shellState) replace(ctx context.Context, args []string) ([]string, error) {
	if err := s.budget.take(); err != nil {
		return nil, err
	}
	// `command eval` is eval: what it is given must be looked at as well.
	for len(args) > 1 && (args[0] == "command" || args[0] == "builtin") && slices.Contains(watched, args[1]) {
		args = args[1:]
	}
	switch args[0] {
	case "eval":
		text, err := s.again(strings.Join(args[1:], " "), "eval")
		if err != nil {
			return s.complain(ctx, 1, err), nil
		}
		return []string{"eval", text}, nil
	case "source", ".":
		return s.source(ctx, args), nil
	case "trap":
		if len(args) > 2 && args[1] != "-" && !strings.HasPrefix(args[1], "-") {
			text, err := s.again(args[1], "trap")
			if err != nil {
				return s.complain(ctx, 1, err), nil
			}
			args = slices.Clone(args)
			args[1] = text
		}
	case "alias":
		args = slices.Clone(args)
		for i, a := range args[1:] {
			name, value, ok := strings.Cut(a, "=")
			if !ok {
				continue
			}
			text, err := s.again(value, "alias")
			if err != nil {
				return s.complain(ctx, 1, err), nil
			}
			blank := ""
			if strings.HasSuffix(value, " ") {
				blank = " "
			}
			args[i+1] = name + "=" + strings.TrimSuffix(text, "\n") + blank
		}
	case "type":
		return append([]string{hiddenType}, args[1:]...), nil
	case "command":
		if len(args) > 1 && (args[1] == "-v" || args[1] == "-V") {
			return append([]string{hiddenCommandV}, args[1:]...), nil
		}
	case "pwd", "cd":
		// There are no links to tell apart.
		if len(args) == 2 && args[0] == "cd" && args[1] != "" && args[1][0] != '-' {
			if info, err := s.p.tree.info(s.abs(ctx, args[1])); err != nil {
				return s.complain(ctx, 1, fmt.Errorf("cd: %s: %w", args[1], reason(err))), nil
			} else if !info.IsDir() {
				return s.complain(ctx, 1, fmt.Errorf("cd: %s: Not a directory", args[1])), nil
			}
		}
		return append([]string{args[0]}, slices.DeleteFunc(slices.Clone(args[1:]), func(a string) bool { return a == "-P" || a == "-L" })...), nil
	case "help":
		return append([]string{"/bin/help"}, args[1:]...), nil
	case "printf":
		return append([]string{hiddenPrintf}, args[1:]...), nil
	case "history":
		if !s.isFunc("history") {
			return append([]string{hiddenHistory}, args[1:]...), nil
		}
	case "return":
		if len(args) == 1 {
			return []string{"return", strconv.Itoa(interp.HandlerCtx(ctx).LastExitStatus)}, nil
		}
	case "[", "test":
		if len(args) > 1000 {
			return s.complain(ctx, 2, fmt.Errorf("%s: too many arguments", args[0])), nil
		}
		if less, ok := compared(args); ok {
			return []string{strconv.FormatBool(less)}, nil
		}
		return harmlessTest(args), nil
	case "unset":
		// The subscript is parsed, and parsers recurse.
		for _, a := range args[1:] {
			if len(a) > 1000 {
				return s.complain(ctx, 1, errors.New("unset: a name is too long")), nil
			}
		}
		s.forget(args[1:])
	case "exec":
		if len(args) > 1 && slices.Contains(watched, args[1]) {
			return s.replace(ctx, args[1:])
		}
	}
	return args, nil
}

// watched is the commands that call replaces.
var watched = []string{"eval", "source", ".", "trap", "alias", "type", "command", "builtin", "pwd", "cd", "help", "history", "printf", "[", "test"}

// complain prints a message and returns a command that has the exit code.
func (s *shellState) complain(ctx context.Context, code int, err error) []string {
	fmt.Fprintf(interp.HandlerCtx(ctx).Stderr, "sh: %v\n", err)
	return []string{"eval", "(exit " + strconv.Itoa(code) + ")"}
}

// source has the interpreter read a rewritten script, under a name that the machine
// cannot have: it looks for it there first.
func (s *shellState) source(ctx context.Context, args []string) []string {
	if len(args) < 2 {
		return args
	}
	data, err := s.p.tree.readFile(s.abs(ctx, args[1]))
	if err != nil {
		return s.complain(ctx, 1, fmt.Errorf("%s: %w", args[1], reason(err)))
	}
	if len(data) > maxScript {
		return s.complain(ctx, 1, fmt.Errorf("%s: the script is longer than %d bytes", args[1], maxScript))
	}
	text, err := s.again(string(data), args[1])
	if err != nil {
		return s.complain(ctx, 2, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	name := path.Join(nowhere, "source", strconv.Itoa(s.serial))
	if s.sourced == nil {
		s.sourced = map[string]string{}
	}
	s.sourced[name] = text
	return append([]string{"source", name}, args[2:]...)
}

// compared answers [ a < b ] and [ a > b ], which the interpreter does not know.
func compared(args []string) (result, ok bool) {
	if args[0] == "[" && args[len(args)-1] == "]" {
		args = args[:len(args)-1]
	}
	if len(args) != 4 {
		return false, false
	}
	switch args[2] {
	case "<":
		return args[1] < args[3], true
	case ">":
		return args[1] > args[3], true
	}
	return false, false
}

// harmlessTest replaces the questions that the interpreter would ask the machine.
func harmlessTest(args []string) []string {
	out := slices.Clone(args)
	for i := 1; i+1 < len(out); i++ {
		operator := i == 1 || slices.Contains([]string{"!", "-a", "-o", "("}, args[i-1])
		if !operator || args[i+1] == "=" || args[i+1] == "!=" || args[i+1] == "==" {
			continue
		}
		switch out[i] {
		case "-O", "-G":
			out[i] = "-e"
		case "-t":
			out[i], out[i+1] = "-n", ""
		}
	}
	return out
}

// kind is `type`.
func (s *shellState) kind(q *proc) error {
	brief := false
	names := q.args[1:]
	for len(names) > 0 && strings.HasPrefix(names[0], "-") {
		brief = brief || strings.ContainsAny(names[0], "t")
		names = names[1:]
	}
	var out error
	for _, name := range names {
		what, text := "", ""
		switch {
		case s.isFunc(name):
			what, text = "function", name+" is a function"
		case syntax.IsKeyword(name):
			what, text = "keyword", name+" is a shell keyword"
		case isBuiltin(name):
			what, text = "builtin", name+" is a shell builtin"
		case q.r.commands[name] != nil:
			what, text = "file", name+" is /bin/"+name
		default:
			if !brief {
				fmt.Fprintf(q.stderr, "sh: type: %s: not found\n", name)
			}
			out = &ExitError{Code: 1}
			continue
		}
		if brief {
			text = what
		}
		if _, err := fmt.Fprintln(q.stdout, text); err != nil {
			return written(err)
		}
	}
	return out
}

// isBuiltin reports whether a command is part of the shell.
func isBuiltin(name string) bool { return interp.IsBuiltin(name) || name == "history" }

func (s *shellState) isFunc(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.funcs[name]
}

// forget takes functions away that unset does.
func (s *shellState) forget(args []string) {
	if len(args) == 0 || args[0] != "-f" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range args[1:] {
		delete(s.funcs, name)
	}
}

// commandV is `command -v` and `command -V`.
func (s *shellState) commandV(q *proc) error {
	if q.args[1] == "-V" {
		return s.kind(q.with(append([]string{"type"}, q.args[2:]...)))
	}
	var out error
	for _, name := range q.args[2:] {
		switch {
		case s.isFunc(name) || isBuiltin(name) || syntax.IsKeyword(name):
		case q.r.commands[name] != nil:
			name = "/bin/" + name
		case strings.HasPrefix(name, "/bin/") && q.r.commands[path.Base(name)] != nil:
		default:
			out = &ExitError{Code: 1}
			continue
		}
		if _, err := fmt.Fprintln(q.stdout, name); err != nil {
			return written(err)
		}
	}
	return out
}

// sh [-eux] [-c SCRIPT | FILE] [ARG]...
func sh(ctx context.Context, p *proc) error {
	rest := p.args[1:]
	var flags []string
	script, given := "", false
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-" && !given {
		arg := rest[0]
		rest = rest[1:]
		switch {
		case arg == "--" || arg == "-l" || arg == "--login" || arg == "-i":
		case strings.HasSuffix(arg, "c"):
			if len(rest) == 0 {
				return p.fail(2, "-c: option requires an argument")
			}
			script, given, rest = rest[0], true, rest[1:]
			if f := strings.Trim(arg, "-c"); f != "" {
				flags = append(flags, "-"+f)
			}
		case arg == "-o" && len(rest) > 0:
			flags, rest = append(flags, "-o", rest[0]), rest[1:]
		default:
			flags = append(flags, arg)
		}
	}
	args := append([]string{p.args[0]}, rest...)
	q := p.with(args)
	switch {
	case given && len(rest) > 0:
		q.args = rest // the first is the script's name
	case given:
	case len(rest) > 0 && rest[0] != "-":
		data, err := p.tree.readFile(p.abs(rest[0]))
		if err != nil {
			return p.fail(exitNotFound, "%s: %v", rest[0], reason(err))
		}
		script, q.args = string(data), rest
	default:
		data, err := p.input("-")
		if err != nil {
			return p.fail(1, "%v", err)
		}
		script, q.stdin = string(data), nil
	}
	if len(flags) > 0 {
		script = "set " + strings.Join(flags, " ") + "\n" + script
	}
	return q.script(ctx, script)
}

// script runs a script within a run.
func (p *proc) script(ctx context.Context, text string) error {
	b := p.budget
	if b == nil {
		b = &budget{left: maxCommands}
		p.budget = b
	}
	b.mu.Lock()
	b.depth++
	deep := b.depth > maxDepth
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.depth--
		b.mu.Unlock()
	}()
	if deep {
		return p.fail(exitCannot, "scripts run scripts more than %d deep", maxDepth)
	}
	return (&shellState{funcs: map[string]bool{}}).run(ctx, p, text, b)
}

// file runs a file of the project that a command's name is the path of.
func (p *proc) file(ctx context.Context) error {
	name := p.args[0]
	info, err := p.tree.info(p.abs(name))
	switch {
	case err != nil:
		fmt.Fprintf(p.stderr, "sh: %s: %v\n", name, reason(err))
		return &ExitError{Code: exitNotFound}
	case info.IsDir():
		fmt.Fprintf(p.stderr, "sh: %s: Is a directory\n", name)
		return &ExitError{Code: exitCannot}
	}
	data, err := p.tree.readFile(p.abs(name))
	if err != nil {
		return p.fail(exitCannot, "%v", reason(err))
	}
	first, _, _ := strings.Cut(string(data), "\n")
	line, is := strings.CutPrefix(first, "#!")
	if !is && path.Ext(name) != ".sh" {
		fmt.Fprintf(p.stderr, "sh: %s: Permission denied\n", name)
		return &ExitError{Code: exitCannot}
	}
	words := strings.Fields(line)
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return w == "-S" })
	}
	if len(words) == 0 {
		words = []string{"sh"}
	}
	words[0] = path.Base(words[0])
	return p.run(ctx, p.with(slices.Concat(words, []string{name}, p.args[1:])))
}
