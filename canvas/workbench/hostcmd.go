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

// runOptions are how a job of the agent runs.
type runOptions struct {
	Project   sam.ProjectID `json:"project,omitempty"`
	Stdin     string        `json:"stdin,omitempty"`
	TimeoutMS int           `json:"timeoutMs,omitempty" jsonschema:"once it runs; 30000 if left out"`
}

type runIn struct {
	runOptions
	Argv   []string `json:"argv" jsonschema:"the command and its arguments, each a string of its own"`
	Cwd    string   `json:"cwd,omitempty" jsonschema:"a folder of the project; its root if left out"`
	Atomic bool     `json:"atomic,omitempty" jsonschema:"write files only if it succeeds, all at once"`
}

type runOut struct {
	ExitCode int `json:"exitCode" jsonschema:"124 after timeoutMs, 126 for a command that it may not start, 127 if there is no such command, 130 if a person stopped it"`
	printed
}

// printed is what a job of the agent printed, and what it waited for.
type printed struct {
	Stdout    string   `json:"stdout"`
	Stderr    string   `json:"stderr"`
	Truncated bool     `json:"truncated,omitempty" jsonschema:"there was more output, and the text says so"`
	WaitedMS  int64    `json:"waitedMs,omitempty" jsonschema:"for commands before it"`
	WaitedFor []string `json:"waitedFor,omitempty"`
}

// runCommand is cmd.run. It is one command by one argv: no door leads to the shell, not by xargs, env, find -exec, timeout
// or a script that is a file.
func runCommand(ctx context.Context, in runIn) (runOut, error) {
	err := checkArgv(in.Argv)
	dir := ""
	if err == nil {
		dir, err = folderOf(in.Cwd)
	}
	if err != nil {
		return runOut{}, err
	}
	var out runOut
	out.ExitCode, out.printed, err = runJob(ctx, in.runOptions, commandWords(in.Argv), func(ctx context.Context, s *session, files *agentFiles, stdin io.Reader, stdout, stderr io.Writer) error {
		return s.b.opts.Commands.Run(ctx, &wasi.Cmd{
			Files: files, Args: in.Argv, Dir: dir, Stdin: stdin, Stdout: stdout, Stderr: stderr, Atomic: in.Atomic, Allow: s.b.agentCommands,
		})
	})
	if err != nil {
		return runOut{}, err
	}
	return out, nil
}

// runJob runs something on a project for the session that calls, when its turn has come. A write that is refused is its error.
func runJob(ctx context.Context, o runOptions, words string, run func(ctx context.Context, s *session, files *agentFiles, stdin io.Reader, stdout, stderr io.Writer) error) (exitCode int, out printed, err error) {
	s, p, err := onProject(ctx, o.Project)
	if err == nil && o.TimeoutMS < 0 {
		err = &host.Error{Code: host.Invalid, Message: "timeoutMs is negative."}
	}
	if err != nil {
		return 0, out, err
	}
	began := time.Now()
	turn, before, leave, err := s.b.queue.enter(ctx, Job{Agent: true, Project: p.ID(), Command: words})
	if err != nil {
		return 0, out, stoppedJob(ctx, err)
	}
	defer leave()
	for _, j := range before {
		out.WaitedMS = time.Since(began).Milliseconds()
		out.WaitedFor = append(out.WaitedFor, j.Command)
	}
	running, cancel := context.WithTimeout(turn, waitFor(o.TimeoutMS, defaultCmdTime, maxCmdTime))
	defer cancel()
	var stdout, stderr clipped
	files := &agentFiles{s: s, p: p, call: ctx}
	var stdin io.Reader // without one, commands such as rg look at files
	if o.Stdin != "" {
		stdin = strings.NewReader(o.Stdin)
	}
	err = run(running, s, files, stdin, &stdout, &stderr)
	if ctx.Err() != nil {
		return 0, out, context.Cause(ctx)
	}
	out.Stdout, out.Stderr = stdout.text(), stderr.text()
	out.Truncated = stdout.total > maxCmdOutput || stderr.total > maxCmdOutput
	if refused := files.refusal(); refused != nil {
		return 0, out, refused
	}
	var exit *wasi.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && err == error(exit):
		exitCode = exit.Code
	default:
		return 0, out, toHost(err)
	}
	return exitCode, out, nil
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
	s    *session
	p    *sam.Project
	call context.Context // that writes: what it may

	mu      sync.Mutex // guards refused
	refused error      // the first
}

var _ wasi.Files = (*agentFiles)(nil)

func (f *agentFiles) FS(ctx context.Context) fs.FS { return f.p.FS(ctx) }

func (f *agentFiles) Apply(ctx context.Context, edits ...sam.Edit) error {
	ctx = onBehalf{ctx, f.call} // an interpreter's own outlasts calls
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

// onBehalf is a context with the values of a call.
type onBehalf struct {
	context.Context
	call context.Context
}

func (c onBehalf) Value(key any) any {
	if v := c.call.Value(key); v != nil {
		return v
	}
	return c.Context.Value(key)
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
