package workbench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"samkit.dev/host"
	"samkit.dev/sam"
)

// defineUI registers env.HOST.ui.
func defineUI(b *Bench, c *host.Capability) {
	host.Register(c, "open", "Shows a file to the person, at a line. Shown says whether a page of the workbench is open.", uiOpen)
	host.Register(c, "message", "Shows a message to the person.", uiMessage)
	host.Register(c, "ask", "Asks the person, and waits for the answer. Without one in time, answered is false.", uiAsk)
	host.Register(c, "connect", "Asks the person whether the agent's own pages may talk to an origin, such as that of a model. Pages may after they have loaded again.", uiConnect)
	host.Register(c, "focus", "Brings a panel to the front: files, editor, canvas, console or agent.", uiFocus)
}

// panels are what the page of a workbench has.
var panels = []string{"files", "editor", "canvas", "console", "agent"}

type shownOut struct {
	Shown bool `json:"shown"`
}

// show posts a prompt. Nobody may be there to see it.
func (s *session) show(p Prompt) shownOut {
	s.b.board.post(p)
	return shownOut{!s.b.idle()}
}

type uiOpenIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Path    string        `json:"path"`
	Line    int           `json:"line,omitempty"`
	Column  int           `json:"column,omitempty"`
}

func uiOpen(ctx context.Context, in uiOpenIn) (shownOut, error) {
	s, p, err := onProject(ctx, in.Project)
	if err == nil {
		err = s.mayRead(ctx, p, in.Path)
	}
	if err != nil {
		return shownOut{}, err
	}
	if _, err := p.Stat(ctx, in.Path); err != nil {
		return shownOut{}, toHost(err)
	}
	prompt := s.newPrompt(OpenFile)
	prompt.Project, prompt.Path, prompt.Line, prompt.Column = p.ID(), in.Path, max(in.Line, 0), max(in.Column, 0)
	return s.show(prompt), nil
}

type uiMessageIn struct {
	Text  string `json:"text"`
	Level string `json:"level,omitempty" jsonschema:"info, warn or error; info if left out"`
}

func uiMessage(ctx context.Context, in uiMessageIn) (shownOut, error) {
	s, err := sessionOf(ctx)
	if err == nil {
		err = checkPrompt(in.Text)
	}
	if err != nil {
		return shownOut{}, err
	}
	p := s.newPrompt(ShowMessage)
	p.Text, p.Level = in.Text, in.Level
	if p.Level == "" {
		p.Level = "info"
	}
	if !slices.Contains([]string{"info", "warn", "error"}, p.Level) {
		return shownOut{}, &host.Error{Code: host.Invalid, Message: "The level is none of info, warn and error."}
	}
	return s.show(p), nil
}

// checkPrompt refuses a text that is empty or too long to be shown.
func checkPrompt(text string) error {
	if strings.TrimSpace(text) == "" || len(text) > maxPromptLen {
		return &host.Error{Code: host.Invalid, Message: fmt.Sprintf("A text has between 1 and %d bytes.", maxPromptLen)}
	}
	return nil
}

// How long ui.ask waits.
const (
	defaultAskWait = time.Minute
	maxAskWait     = 5 * time.Minute
)

type uiAskIn struct {
	Question  string   `json:"question"`
	Choices   []string `json:"choices,omitempty" jsonschema:"answers to choose from; any text if left out"`
	TimeoutMS int      `json:"timeoutMs,omitempty" jsonschema:"milliseconds; 60000 if left out"`
}

type uiAskOut struct {
	Answered bool   `json:"answered"`
	Answer   string `json:"answer,omitempty"`
}

func uiAsk(ctx context.Context, in uiAskIn) (uiAskOut, error) {
	s, err := sessionOf(ctx)
	if err == nil {
		err = checkPrompt(in.Question)
	}
	if err == nil && len(in.Choices) > maxChoices {
		err = &host.Error{Code: host.Invalid, Message: fmt.Sprintf("A question has at most %d choices.", maxChoices)}
	}
	for _, c := range in.Choices {
		if err == nil {
			err = checkPrompt(c)
		}
	}
	if err != nil {
		return uiAskOut{}, err
	}
	p := s.newPrompt(Ask)
	p.Text, p.Choices = in.Question, slices.Clone(in.Choices)
	answer, answered, err := s.b.board.ask(ctx, p, waitFor(in.TimeoutMS, defaultAskWait, maxAskWait))
	return uiAskOut{answered, answer}, err
}

type uiFocusIn struct {
	Panel string `json:"panel"`
}

func uiFocus(ctx context.Context, in uiFocusIn) (shownOut, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return shownOut{}, err
	}
	if !slices.Contains(panels, in.Panel) {
		return shownOut{}, &host.Error{Code: host.Invalid, Message: "The panel is none of " + strings.Join(panels, ", ") + "."}
	}
	p := s.newPrompt(FocusPanel)
	p.Panel = in.Panel
	return s.show(p), nil
}
