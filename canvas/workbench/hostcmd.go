package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// What cmd.run takes and returns.
const (
	defaultCmdTime = 30 * time.Second
	maxCmdTime     = 5 * time.Minute
	maxCmdOutput   = 256 << 10 // bytes of each stream
	maxCmdArgs     = 1000
)

// defineCmd registers env.HOST.cmd.
func defineCmd(b *Bench, c *host.Capability) {
	if b.opts.Commands == nil {
		return
	}
	host.Register(c, "run", "Runs one command on the files of a project, such as {argv: [\"grep\", \"-rn\", \"TODO\", \"src\"]}, and returns what it printed. There is no shell, no pipe and no network; [\"help\"] lists the commands. It waits until those before it have ended.", runCommand)
	host.Register(c, "queue", "Lists the commands that run and wait on the workbench, a person's included. The first runs.", commandQueue, host.Reads)
}

type runIn struct {
	Project   sam.ProjectID `json:"project,omitempty"`
	Argv      []string      `json:"argv" jsonschema:"the command and its arguments, each a string of its own"`
	Stdin     string        `json:"stdin,omitempty"`
	Cwd       string        `json:"cwd,omitempty" jsonschema:"a folder of the project; its root if left out"`
	TimeoutMS int           `json:"timeoutMs,omitempty" jsonschema:"once it runs; 30000 if left out"`
	Atomic    bool          `json:"atomic,omitempty" jsonschema:"write files only if it succeeds, all at once"`
}

type runOut struct {
	ExitCode  int      `json:"exitCode" jsonschema:"124 after timeoutMs, 126 for a command that it may not start, 127 if there is no such command, 130 if a person stopped it"`
	Stdout    string   `json:"stdout"`
	Stderr    string   `json:"stderr"`
	Truncated bool     `json:"truncated,omitempty" jsonschema:"there was more output, and the text says so"`
	WaitedMS  int64    `json:"waitedMs,omitempty" jsonschema:"for commands before it"`
	WaitedFor []string `json:"waitedFor,omitempty"`
}

// runCommand is cmd.run. It is one command by one argv: no door leads to the shell, not by xargs, env, find -exec, timeout
// or a script that is a file.
func runCommand(ctx context.Context, in runIn) (runOut, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = checkArgv(in.Argv)
	}
	if err == nil && in.TimeoutMS < 0 {
		err = &host.Error{Code: host.Invalid, Message: "timeoutMs is negative."}
	}
	dir := ""
	if err == nil {
		dir, err = folderOf(in.Cwd)
	}
	if err != nil {
		return runOut{}, err
	}
	b := s.b
	began := time.Now()
	turn, before, leave, err := b.queue.enter(ctx, Job{Agent: true, Project: p.ID(), Command: commandWords(in.Argv)})
	if err != nil {
		return runOut{}, stoppedJob(ctx, err)
	}
	defer leave()
	var out runOut
	for _, j := range before {
		out.WaitedMS = time.Since(began).Milliseconds()
		out.WaitedFor = append(out.WaitedFor, j.Command)
	}
	running, cancel := context.WithTimeout(turn, waitFor(in.TimeoutMS, defaultCmdTime, maxCmdTime))
	defer cancel()
	var stdout, stderr clipped
	files := &agentFiles{s: s, p: p}
	var stdin io.Reader // without one, commands such as rg look at files
	if in.Stdin != "" {
		stdin = strings.NewReader(in.Stdin)
	}
	err = b.opts.Commands.Run(running, &wasi.Cmd{
		Files: files, Args: in.Argv, Dir: dir, Stdin: stdin, Stdout: &stdout, Stderr: &stderr, Atomic: in.Atomic, Allow: b.agentCommands,
	})
	if ctx.Err() != nil {
		return runOut{}, context.Cause(ctx)
	}
	out.Stdout, out.Stderr = stdout.text(), stderr.text()
	out.Truncated = stdout.total > maxCmdOutput || stderr.total > maxCmdOutput
	if refused := files.refusal(); refused != nil {
		return runOut{}, refused
	}
	var exit *wasi.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && err == error(exit):
		out.ExitCode = exit.Code
	default:
		return runOut{}, toHost(err)
	}
	return out, nil
}

// checkArgv refuses what is meant for a shell.
func checkArgv(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return &host.Error{Code: host.Invalid, Message: "argv names no command.", Hint: `Such as ["grep", "-rn", "TODO", "src"].`}
	}
	if len(argv) > maxCmdArgs {
		return &host.Error{Code: host.Invalid, Message: fmt.Sprintf("argv has more than %d words.", maxCmdArgs), Hint: "Give names by stdin to xargs."}
	}
	name := argv[0][strings.LastIndexByte(argv[0], '/')+1:]
	switch {
	case name == "sh" || name == "bash":
		return &host.Error{Code: host.Denied, Message: "cmd.run starts no shell.", Hint: "Run one command at a time, and give its stdout to the next as stdin."}
	case strings.ContainsAny(argv[0], " \t\n|&;<>()$`\"'"):
		return &host.Error{Code: host.Invalid, Message: "argv[0] is not the name of a command: cmd.run reads no shell syntax.", Hint: `argv has a string for each word: ["grep", "-rn", "TODO", "src"]. Pipe by giving stdout to the next command as stdin.`}
	}
	return nil
}

// folderOf is a folder of a project without dots and slashes around it.
func folderOf(cwd string) (string, error) {
	dir := strings.Trim(cwd, "/")
	if dir == "" || dir == "." {
		return "", nil
	}
	if dir = strings.TrimPrefix(dir, "./"); !fs.ValidPath(dir) {
		return "", &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no folder of the project.", shorten(cwd, 0, 100)), Hint: `Such as "src".`}
	}
	return dir, nil
}

// commandWords is a command for a person to read.
func commandWords(argv []string) string {
	words := make([]string, 0, len(argv))
	size := 0
	for _, w := range argv {
		if size += len(w); size > maxJobWords {
			words = append(words, "…")
			break
		}
		if w == "" || strings.ContainsAny(w, " \t\n'\"|&;<>()$`\\*?[]{}~#!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// stoppedJob is why a job had no turn.
func stoppedJob(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return &host.Error{Code: host.Unavailable, Message: "A person stopped the command before it ran."}
	}
	return err
}

// commandsForAgents is all commands of a runner but the shell.
func commandsForAgents(r *wasi.Runner) []string {
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(r.Commands(), func(name string) bool { return name == "sh" || name == "bash" })
}

type queueOut struct {
	Jobs []jobOut `json:"jobs"`
}

type jobOut struct {
	By      string `json:"by" jsonschema:"person, or agent"`
	Command string `json:"command"`
	Since   string `json:"since"`
}

func commandQueue(ctx context.Context, _ nothing) (queueOut, error) {
	out := queueOut{Jobs: []jobOut{}}
	s, err := sessionOf(ctx)
	if err != nil {
		return out, err
	}
	for _, j := range s.b.Jobs() {
		by := "person"
		if j.Agent {
			by = "agent"
		}
		out.Jobs = append(out.Jobs, jobOut{by, j.Command, isoTime(j.Since)})
	}
	return out, nil
}

// agentFiles is a project as far as the session that calls may change it. A command writes at any time until its
// end, and a last time when it was stopped: rights that have ended by then count.
type agentFiles struct {
	s *session
	p *sam.Project

	mu      sync.Mutex // guards refused
	refused error      // the first
}

var _ wasi.Files = (*agentFiles)(nil)

func (f *agentFiles) FS(ctx context.Context) fs.FS { return f.p.FS(ctx) }

func (f *agentFiles) Apply(ctx context.Context, edits ...sam.Edit) error {
	if err := f.may(ctx, edits); err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.refused == nil {
			f.refused = err
		}
		return forbidden{err}
	}
	return f.p.Apply(ctx, edits...)
}

func (f *agentFiles) may(ctx context.Context, edits []sam.Edit) error {
	select {
	case <-f.s.set.Done():
		return errEnded
	default:
	}
	for _, e := range edits {
		if err := f.s.mayWrite(ctx, f.p, e.Name); err != nil {
			return err
		}
		if e.Rename != "" {
			if err := f.s.mayWrite(ctx, f.p, e.Rename); err != nil {
				return err
			}
		}
	}
	return nil
}

// refusal is why a write was refused, or nil.
func (f *agentFiles) refusal() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

// forbidden is a refusal as commands know it.
type forbidden struct{ err error }

func (f forbidden) Error() string        { return f.err.Error() }
func (f forbidden) Unwrap() error        { return f.err }
func (f forbidden) Is(target error) bool { return target == fs.ErrPermission }

// A clipped writer keeps the beginning of what is written, and counts the rest.
type clipped struct {
	kept  []byte
	total int
}

func (c *clipped) Write(buf []byte) (int, error) {
	c.total += len(buf)
	c.kept = append(c.kept, buf[:min(len(buf), maxCmdOutput-len(c.kept))]...)
	return len(buf), nil
}

func (c *clipped) text() string {
	text := strings.ToValidUTF8(string(c.kept), "\uFFFD")
	if c.total > maxCmdOutput {
		text += fmt.Sprintf("\n[truncated: %d of %d bytes]\n", maxCmdOutput, c.total)
	}
	return text
}
