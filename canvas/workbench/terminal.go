package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// Bounds of terminals.
const (
	maxTerminals = 20        // of a bench; the one that was not used for longest leaves
	maxScreen    = 512 << 10 // bytes that a terminal remembers
	maxEntered   = 256 << 10 // bytes of a line
	maxTyped     = 1 << 20   // bytes typed that no command has read
	printSize    = 8 << 10   // bytes of a Print
)

// A repl takes lines and prints. What it is told is one after the other, but for complete.
type repl interface {
	prompt() string
	more(lines string) bool // whether lines are the beginning of something
	unfinished() bool       // whether what ran goes on with the next line, which may be empty
	forget()                // what is unfinished
	run(ctx context.Context, lines string, in io.Reader, out, errs io.Writer) (code int)
	complete(ctx context.Context, line string) (from int, words []string)
	resize(columns, rows int)
	over() bool // after run: begin anew
	close()
}

// repls are the kinds of terminals, those that a bench has being made by its options.
func (b *Bench) repls() map[string]func(*sam.Project) (repl, error) {
	kinds := map[string]func(*sam.Project) (repl, error){
		"javascript": func(p *sam.Project) (repl, error) { return &javascript{b: b, project: p}, nil },
	}
	if b.opts.Commands != nil {
		kinds["shell"] = func(p *sam.Project) (repl, error) { return newShell(b.opts.Commands, p) }
	}
	if b.hasPython() {
		kinds["python"] = func(p *sam.Project) (repl, error) { return &python{b: b, project: p}, nil }
	}
	return kinds
}

// Terminals lists the kinds of terminals that the bench has: "javascript", and with [Options.Commands] "python" and "shell".
func (b *Bench) Terminals() []string {
	kinds := []string{}
	for kind := range b.repls() {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// A Terminal is where a person types lines that run in a project and sees what they print. It is kept by the bench while
// pages come and go, and several may show it. Commands of all terminals and of the agent run one after the other;
// see [Bench.Jobs]. It is safe for concurrent use.
type Terminal struct {
	b       *Bench
	id      string // of this life
	project *sam.Project
	begin   func(*sam.Project) (repl, error)
	topic   *topic

	mu      sync.Mutex // guards what follows; not held while repl runs
	repl    repl
	prints  []Print
	first   uint64 // number of prints[0]
	size    int    // bytes of prints
	open    bool   // the last print may grow
	lines   string // typed, and not complete
	running *running
	code    int
	columns int
	rows    int
	used    time.Time
	gone    bool
}

// A running is what a terminal runs.
type running struct {
	typed  *typed
	cancel context.CancelFunc
	turn   bool // it has had to wait, or not, and runs
}

// A Print is text on a terminal.
type Print struct {
	Kind PrintKind `json:"kind"`
	Text string    `json:"text"`
	Code int       `json:"code,omitempty"` // PrintPrompt: how what ran before ended
}

// A PrintKind says what a [Print] is.
type PrintKind string

// The kinds of prints.
const (
	PrintPrompt PrintKind = "prompt"
	PrintInput  PrintKind = "in" // what was typed
	PrintOutput PrintKind = "out"
	PrintError  PrintKind = "err" // what a command printed on standard error
)

// A Screen is what a terminal shows.
type Screen struct {
	At     string  // give it to Terminal.Screen to go on from here
	Fresh  bool    // Prints are all there is: what was shown before is to be removed
	Prints []Print // that are new
	Prompt string  // for the next line; a command that runs has none
	Code   int     // how what ran last ended
	Busy   bool    // a command runs, or waits for its turn
	Waits  bool    // it waits
	Jobs   []Job   // of the bench
}

// terminals are those of a bench.
type terminals struct {
	mu  sync.Mutex // guards all
	all map[string]*Terminal
}

// Terminal returns the person's terminal of a kind in a project. The error matches fs.ErrNotExist if there is no such project, or kind.
func (b *Bench) Terminal(ctx context.Context, id sam.ProjectID, kind string) (*Terminal, error) {
	begin := b.repls()[kind]
	if begin == nil {
		return nil, fmt.Errorf("workbench: terminal %q: %w", kind, fs.ErrNotExist)
	}
	p, err := b.ws.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	b.terminals.mu.Lock()
	defer b.terminals.mu.Unlock()
	key := kind + " " + string(id)
	if t := b.terminals.all[key]; t != nil {
		t.touch()
		return t, nil
	}
	t := &Terminal{b: b, id: strconv.FormatInt(time.Now().UnixNano(), 36), project: p, begin: begin, topic: newTopic(), columns: 80, rows: 24, used: time.Now()}
	if t.repl, err = begin(p); err != nil {
		return nil, err
	}
	if b.terminals.all == nil {
		b.terminals.all = make(map[string]*Terminal)
	}
	b.terminals.evict()
	b.terminals.all[key] = t
	return t, nil
}

// evict makes room for one more; mu is held. One that runs something stays.
func (ts *terminals) evict() {
	if len(ts.all) < maxTerminals {
		return
	}
	var key string
	var oldest time.Time
	for k, t := range ts.all {
		if used, idle := t.idle(); idle && (key == "" || used.Before(oldest)) {
			key, oldest = k, used
		}
	}
	if key != "" {
		ts.all[key].end()
		delete(ts.all, key)
	}
}

// close closes what all terminals have, of which none runs anything and none will: the bench is closed.
func (ts *terminals) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.all {
		t.mu.Lock()
		t.repl.close()
		t.mu.Unlock()
	}
}

// drop ends the terminals of a project that is deleted.
func (ts *terminals) drop(id sam.ProjectID) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for key, t := range ts.all {
		if t.project.ID() == id {
			t.end()
			delete(ts.all, key)
		}
	}
}

func (t *Terminal) touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used = time.Now()
}

func (t *Terminal) idle() (used time.Time, idle bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used, t.running == nil
}

// end stops what runs; who waits for news hears that the terminal is gone.
func (t *Terminal) end() {
	t.mu.Lock()
	t.gone = true
	t.stop()
	if t.running == nil {
		t.repl.close()
	}
	t.mu.Unlock()
	t.topic.publish()
}

// stop cancels what runs; mu is held.
func (t *Terminal) stop() {
	if t.running != nil {
		t.running.cancel()
	}
}

var errTerminalGone = fmt.Errorf("workbench: the terminal is gone: %w", fs.ErrNotExist)

// Enter takes a line, or several at once, without the last line break: input for the command that runs, else something to run. What is
// incomplete waits for more lines.
func (t *Terminal) Enter(line string) error {
	if len(line) > maxEntered {
		return &host.Error{Code: host.Exhausted, Message: fmt.Sprintf("A line has more than %d bytes.", maxEntered), Details: fmt.Appendf(nil, `{"limit":"terminal_line","value":%d}`, maxEntered)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return errTerminalGone
	}
	defer t.topic.publish()
	t.used = time.Now()
	line = strings.ToValidUTF8(line, "\uFFFD") + "\n"
	if t.running != nil {
		if !t.running.typed.add(line) {
			return &host.Error{Code: host.Exhausted, Message: "The command does not read what is typed.", Details: fmt.Appendf(nil, `{"limit":"terminal_typed","value":%d}`, maxTyped)}
		}
		t.print(PrintInput, line, 0)
		return nil
	}
	t.print(PrintPrompt, t.ask(), t.code)
	t.print(PrintInput, line, 0)
	t.lines += line
	if strings.TrimSpace(t.lines) == "" && !t.repl.unfinished() {
		t.lines = ""
		return nil
	}
	if len(t.lines) <= maxEntered && t.repl.more(t.lines) {
		return nil
	}
	lines := t.lines
	t.lines = ""
	return t.start(lines)
}

// ask is the prompt; mu is held.
func (t *Terminal) ask() string {
	if t.lines != "" {
		return "> "
	}
	return t.repl.prompt()
}

// start runs lines in a goroutine of the bench; mu is held.
func (t *Terminal) start(lines string) error {
	ctx, cancel := context.WithCancel(t.b.ctx)
	r := &running{typed: newTyped(), cancel: cancel}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.b.closed {
		cancel()
		return ErrClosed
	}
	t.running = r
	t.b.wg.Go(func() {
		defer cancel()
		t.run(ctx, r, lines)
	})
	return nil
}

func (t *Terminal) run(ctx context.Context, r *running, lines string) {
	code := 130
	words, _, cut := strings.Cut(strings.TrimSpace(lines), "\n")
	if cut {
		words += " …"
	}
	turn, _, leave, err := t.b.queue.enter(ctx, Job{Project: t.project.ID(), Command: words})
	if err == nil {
		t.mu.Lock()
		r.turn = true
		t.mu.Unlock()
		t.topic.publish() // the queue did so before
		out, errs := &printer{t: t, kind: PrintOutput}, &printer{t: t, kind: PrintError}
		code = t.repl.run(turn, lines, r.typed, out, errs)
		out.end()
		errs.end()
		leave()
	}
	r.typed.close()
	var begun repl
	if err == nil && t.repl.over() {
		begun, err = t.begin(t.project)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var told *host.Error
	if errors.As(err, &told) {
		t.print(PrintError, told.Message+"\n", 0)
	}
	if begun != nil {
		t.repl.close()
		t.repl = begun
		t.repl.resize(t.columns, t.rows)
	}
	if t.running, t.code = nil, code; t.gone {
		t.repl.close()
	}
	t.endLine()
	t.topic.publish()
}

// endLine ends a line that a command left open; mu is held.
func (t *Terminal) endLine() {
	if n := len(t.prints); n > 0 && !strings.HasSuffix(t.prints[n-1].Text, "\n") {
		t.print(t.prints[n-1].Kind, "\n", 0)
	}
}

// Interrupt is Ctrl-C: it ends what runs, or forgets what was typed, line being what was not entered yet.
func (t *Terminal) Interrupt(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone || len(line) > maxEntered {
		return
	}
	if t.running != nil {
		t.print(PrintInput, "^C\n", 0)
		t.stop()
	} else {
		t.print(PrintPrompt, t.ask(), t.code)
		t.print(PrintInput, strings.ToValidUTF8(line, "\uFFFD")+"^C\n", 0)
		t.lines, t.code = "", 130
		t.repl.forget()
	}
	t.topic.publish()
}

// EndInput is Ctrl-D: it ends the input of the command that runs. Without one nothing happens.
func (t *Terminal) EndInput() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running != nil {
		t.running.typed.close()
	}
}

// Clear removes what was printed.
func (t *Terminal) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first += uint64(len(t.prints))
	t.prints, t.size, t.open = nil, 0, false
	t.first++ // whoever reads has missed something, and begins anew
	t.topic.publish()
}

// Resize says how many columns and rows are shown, for commands that ask.
func (t *Terminal) Resize(columns, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	columns, rows = min(max(columns, 20), 1000), min(max(rows, 5), 1000)
	if t.columns == columns && t.rows == rows {
		return
	}
	t.columns, t.rows = columns, rows
	t.repl.resize(columns, rows)
}

// Complete returns what may stand at the end of a line in place of line[from:]. While a command runs it returns nothing.
func (t *Terminal) Complete(ctx context.Context, line string) (from int, words []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running != nil || t.gone || len(line) > maxEntered {
		return len(line), nil
	}
	from, words = t.repl.complete(ctx, t.lines+line)
	return max(from-len(t.lines), 0), words
}

// print adds text; mu is held. Who prints publishes.
func (t *Terminal) print(kind PrintKind, text string, code int) {
	if text == "" {
		return
	}
	if n := len(t.prints); t.open && kind != PrintPrompt && t.prints[n-1].Kind == kind && len(t.prints[n-1].Text) < printSize {
		t.prints[n-1].Text += text
	} else {
		t.prints = append(t.prints, Print{kind, text, code})
		t.open = true
	}
	t.size += len(text)
	drop := 0
	for ; t.size > maxScreen && drop < len(t.prints)-1; drop++ {
		t.size -= len(t.prints[drop].Text)
	}
	t.prints, t.first = slices.Delete(t.prints, 0, drop), t.first+uint64(drop)
}

// Screen returns what a terminal shows, or what is new since a screen of which after is the At. It waits until there is something;
// when ctx ends, nothing may be new.
func (t *Terminal) Screen(ctx context.Context, after string) (Screen, error) {
	for {
		n, changed := t.topic.look()
		jobs, moved := t.b.queue.topic.look()
		s, err := t.look(after, n, jobs)
		if err != nil || s.At != after {
			return s, err
		}
		select {
		case <-changed:
		case <-moved:
		case <-ctx.Done():
			return s, nil
		case <-t.b.ctx.Done():
			return s, ErrClosed
		}
	}
}

// look is what there is after a screen. Versions are those of the terminal and of the queue.
func (t *Terminal) look(after string, version, jobs uint64) (Screen, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return Screen{}, errTerminalGone
	}
	t.used = time.Now()
	life, rest, _ := strings.Cut(after, ".")
	number, _, _ := strings.Cut(rest, ".")
	seen, err := strconv.ParseUint(number, 10, 64)
	end := t.first + uint64(len(t.prints))
	s := Screen{Code: t.code, Busy: t.running != nil, Waits: t.running != nil && !t.running.turn, Jobs: t.b.queue.list()}
	if !s.Busy {
		s.Prompt = t.ask()
	}
	if s.Fresh = life != t.id || err != nil || seen < t.first || seen > end; s.Fresh {
		seen = t.first
	}
	s.Prints = slices.Clone(t.prints[seen-t.first:])
	t.open = t.open && len(s.Prints) == 0 // what was read grows no more
	s.At = fmt.Sprintf("%s.%d.%d.%d", t.id, end, version, jobs)
	return s, nil
}

// A printer is a stream of a command. It holds back a character that is not whole yet.
type printer struct {
	t    *Terminal
	kind PrintKind

	mu   sync.Mutex // guards part
	part []byte
}

func (p *printer) Write(buf []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = append(p.part, buf...)
	whole := len(p.part)
	for i := 1; i <= min(utf8.UTFMax-1, len(p.part)); i++ {
		if c := p.part[len(p.part)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(p.part[len(p.part)-i:]) {
				whole = len(p.part) - i
			}
			break
		}
	}
	p.put(whole)
	return len(buf), nil
}

// put prints the first n bytes; mu is held.
func (p *printer) put(n int) {
	text := strings.ToValidUTF8(string(p.part[:n]), "\uFFFD")
	p.part = append(p.part[:0], p.part[n:]...)
	p.t.mu.Lock()
	p.t.print(p.kind, text, 0)
	p.t.mu.Unlock()
	p.t.topic.publish()
}

// end prints what was held back.
func (p *printer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(len(p.part))
}

// typed is what a person types for a command: a reader that waits.
type typed struct {
	mu     sync.Mutex // guards what follows
	more   *sync.Cond
	text   []byte
	closed bool
}

func newTyped() *typed {
	t := &typed{}
	t.more = sync.NewCond(&t.mu)
	return t
}

// add reports whether there was room.
func (t *typed) add(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text)+len(text) > maxTyped {
		return false
	}
	t.text = append(t.text, text...)
	t.more.Signal()
	return true
}

// close ends the input, once what was typed is read.
func (t *typed) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.more.Broadcast()
}

// Read waits for something to be typed, or for close.
func (t *typed) Read(buf []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.text) == 0 && !t.closed {
		t.more.Wait()
	}
	if len(t.text) == 0 {
		return 0, io.EOF
	}
	n := copy(buf, t.text)
	t.text = t.text[n:]
	return n, nil
}
