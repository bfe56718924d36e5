package workbench

import (
	"context"
	"fmt"

	"samkit.dev/host"
)

// What HOST.search returns and takes, at most.
const (
	maxFound       = 5
	maxSearchWords = 1000 // bytes
	maxFoundDoc    = 160  // bytes of a function's sentence
)

// defineTop registers what stands directly under env.HOST.
func defineTop(b *Bench, c *host.Capability) {
	host.Register(c, "search", "Finds functions by words for what they do, the best first.", searchFuncs, host.Reads)
	host.Register(c, "describe", "Returns the manual of a function: what it does, takes and returns.", describeFunc, host.Reads)
	host.Register(c, "openTool", "Is tools.open.", openToolSession)
	host.Register(c, "closeTool", "Is tools.close.", closeToolSession)
	if b.opts.Commands != nil {
		host.Register(c, "runCmd", "Is cmd.run.", runCommand)
	}
	if b.hasPython() {
		host.Register(c, "runPython", "Is python.run.", runPython)
	}
}

// funcIndex returns the index of all that an agent is offered.
func (b *Bench) funcIndex() *host.Index {
	b.indexing.Do(func() { b.index = host.NewIndex(b.agentOffer) })
	return b.index
}

type foundOut struct {
	Functions []host.Match `json:"functions"`
}

// searchFuncs is HOST.search("words").
func searchFuncs(ctx context.Context, words string) (foundOut, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return foundOut{}, err
	}
	if len(words) > maxSearchWords {
		return foundOut{}, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("More than %d bytes are no search.", maxSearchWords)}
	}
	out := foundOut{s.b.funcIndex().Search(words, maxFound)}
	for i := range out.Functions {
		out.Functions[i].Doc = shorten(out.Functions[i].Doc, 0, maxFoundDoc)
	}
	return out, nil
}

// describeFunc is HOST.describe("crm.lookup").
func describeFunc(ctx context.Context, name string) (string, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return "", err
	}
	text := s.b.funcIndex().Describe(name)
	if text == "" {
		return "", &host.Error{Code: host.NotFound, Message: fmt.Sprintf("There is no function %q.", shorten(name, 0, maxFoundDoc)), Hint: "HOST.search finds one by words."}
	}
	return text, nil
}
