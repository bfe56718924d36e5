package workbench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/tool"
	"samkit.dev/tool/script"
	"samkit.dev/wasi"
)

// ErrClosed reports the use of a bench or group after its Close.
var ErrClosed = errors.New("workbench: closed")

// Options configures a [Bench]. Nil means the zero Options.
type Options struct {
	// Roles is where the bench keeps its roles: a space of the store that holds nothing
	// else, such as store.Space("ada/~bench"). Nil keeps them in memory.
	Roles sam.Space

	Capabilities *host.Capabilities // the program's functions for the agent, and for tools as far as a grant says; nil means none
	// Confirm answers for grants that ask. Nil means that the call waits among [Bench.Approvals] for [Bench.Decide]; it is
	// denied when nobody follows the bench's events.
	Confirm tool.Confirm

	// Audit is told of every call of env.HOST, env.TOOL and services when it has ended. It must
	// not block. Nil keeps the last 10,000 where the roles are, for [Bench.Audit].
	Audit func(context.Context, host.Record)

	Templates map[string]fs.FS // what an agent's new projects may begin with, by name; without one they are empty

	// URL returns where the app of a project is opened, for canvas.url; nil leaves that out. The
	// agent sees it, so it should be no path that says more of who opens it, such as one of canvas.Handler.Path.
	URL func(sam.ProjectID) string

	// Screenshot returns a picture of an app as a PNG, for canvas.screenshot; nil leaves that out. The program has a
	// browser for it, which runs strangers' pages: one without cookies and without a way into the program's network. What is no
	// *host.Error is logged and told as unavailable.
	Screenshot func(context.Context, Shot) ([]byte, error)

	// Commands is what cmd.run, python.run and the terminals "shell" and "python" run; nil leaves them out. It is closed after the bench, and may serve many.
	Commands *wasi.Runner

	// Scripts is how scripts of agents run: Mode, Timeout, While and Observe count, and of the rest the bench takes care. Nil
	// leaves the group script out. See [Bench.SetScriptMode].
	Scripts *script.Options

	// Tasks is how tasks run; nil leaves the group tasks and [Bench.RunTask] out.
	Tasks *TaskOptions

	SetAgent bool // an agent may name its successor, which may then change the former agent's files

	ConsoleEntries int          // kept for each project; zero means 1,000, and 1 MiB is the most in any case
	Logger         *slog.Logger // nil means slog.Default()
}

// A Bench is the projects of one person and the roles they play. It is safe for
// concurrent use. Its roles are kept in [Options.Roles]; consoles are in memory.
type Bench struct {
	ws   *sam.Workspace
	eng  *engine.Engine
	opts Options
	run  string // tells positions in its events from those of other benches

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	wg   sync.WaitGroup // journals, and who waits for the end of sessions

	audit      *auditLog // nil if Options.Audit is set
	board      *board
	approvals  *approvals
	denials    *denials
	turns      *turns
	queue      *queue
	tasks      *taskRuns
	runners    runners
	terminals  terminals
	pythons    pythons
	agentOffer *offer

	agentCommands []string // that cmd.run may start
	toolOffer     *offer
	indexing      sync.Once // makes index
	index         *host.Index

	making sync.Mutex // held while a project is made or deleted; before saving
	saving sync.Mutex // held while the roles are written

	mu       sync.Mutex // guards what follows
	closed   bool
	work     sam.ProjectID
	agent    *session            // nil if there is none
	tools    map[string]*session // by ID
	services map[sam.ProjectID]map[string]service
	reloads  map[sam.ProjectID]chan struct{} // closed when pages have to load again
	scripts  *script.Options                 // nil if Options.Scripts is
	connects map[sam.ProjectID][]string      // origins; a list is not changed
	consoles map[sam.ProjectID]*console.Buffer
	journals map[sam.ProjectID]*journal
	seq      uint64 // of events, shared by all journals
	readers  int    // of events
	roles    *topic // changes of the list of projects and of their roles
	history  *topic // changes of the checkpoints of any project
}

// New returns the bench of a workspace, with the roles it had. It closes neither
// ws's store nor e, which runs the functions.js of its projects.
func New(ctx context.Context, ws *sam.Workspace, e *engine.Engine, opts *Options) (*Bench, error) {
	if ws == nil || e == nil {
		return nil, errors.New("workbench: New needs a workspace and an engine")
	}
	b := &Bench{
		ws: ws, eng: e, run: rand.Text(),
		consoles: make(map[sam.ProjectID]*console.Buffer),
		journals: make(map[sam.ProjectID]*journal),
		tools:    make(map[string]*session),
		services: make(map[sam.ProjectID]map[string]service),
		reloads:  make(map[sam.ProjectID]chan struct{}),
		connects: make(map[sam.ProjectID][]string),
		roles:    newTopic(), history: newTopic(), board: newBoard(),
		approvals: &approvals{topic: newTopic(), all: make(map[string]*approval)}, denials: new(denials), turns: new(turns), queue: &queue{topic: newTopic()},
	}
	b.tasks = &taskRuns{bench: b, topic: newTopic()}
	if opts != nil {
		b.opts = *opts
	}
	if b.opts.Logger == nil {
		b.opts.Logger = slog.Default()
	}
	b.scripts = b.opts.Scripts
	b.agentCommands = commandsForAgents(b.opts.Commands)
	if b.opts.Confirm == nil {
		b.opts.Confirm = b.consent
	}
	if err := b.checkCapabilities(); err != nil {
		return nil, err
	}
	b.agentOffer, b.toolOffer = offers(b)
	b.ctx, b.stop = context.WithCancel(context.Background())
	if b.opts.Audit == nil {
		var err error
		if b.audit, err = openAudit(ctx, b); err != nil {
			return nil, err
		}
		b.opts.Audit = b.audit.add
		b.wg.Go(func() { b.audit.run(b.ctx) })
	}
	err := b.loadRoles(ctx)
	if err == nil {
		err = b.tasks.load(ctx)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Workspace returns the workspace given to [New]. Create and delete projects with
// the methods of the bench, so that its readers hear of it.
func (b *Bench) Workspace() *sam.Workspace { return b.ws }

// Engine returns the engine given to [New].
func (b *Bench) Engine() *engine.Engine { return b.eng }

// Console returns what the app of a project printed since the bench was opened.
// The error matches fs.ErrNotExist if there is no such project.
func (b *Bench) Console(ctx context.Context, id sam.ProjectID) (*console.Buffer, error) {
	if _, err := b.ws.Open(ctx, id); err != nil {
		return nil, err
	}
	return b.console(id), nil
}

func (b *Bench) console(id sam.ProjectID) *console.Buffer {
	b.mu.Lock()
	defer b.mu.Unlock()
	buf := b.consoles[id]
	if buf == nil {
		buf = console.NewBuffer(b.opts.ConsoleEntries)
		b.consoles[id] = buf
	}
	return buf
}

// Close ends the bench's streams of events and the calls of its sessions, and waits for
// its goroutines. Sessions are there again when the bench is opened the next time. It may
// be called twice.
func (b *Bench) Close() error {
	b.saving.Lock() // no role is given while the bench closes
	b.mu.Lock()
	b.closed = true
	b.stop()
	sets := b.liveSets()
	b.mu.Unlock()
	b.saving.Unlock()
	for _, s := range sets {
		s.Revoke()
	}
	b.wg.Wait()
	b.terminals.close()
	b.pythons.close()
	if b.audit != nil {
		b.audit.close()
	}
	return nil
}

// liveSets returns the sets of all sessions and services; b.mu is held.
func (b *Bench) liveSets() []*tool.Set {
	var sets []*tool.Set
	for _, s := range b.tools {
		sets = append(sets, s.set)
	}
	if b.agent != nil {
		sets = append(sets, b.agent.set)
	}
	for _, byName := range b.services {
		for _, s := range byName {
			sets = append(sets, s.set)
		}
	}
	return sets
}

// checkCapabilities refuses those of the program that have the name of a group.
func (b *Bench) checkCapabilities() error {
	if b.opts.Capabilities == nil {
		return nil
	}
	var names []string
	for _, g := range groups {
		names = append(names, cmp.Or(g.name, topName))
	}
	for _, name := range names {
		if b.opts.Capabilities.Get(name, 0) != nil {
			return fmt.Errorf("workbench: the capability %q has the name of a built-in group", name)
		}
	}
	return nil
}

func (b *Bench) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// idle reports whether nobody reads the bench's events.
func (b *Bench) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.readers == 0
}
