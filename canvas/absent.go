package canvas

import (
	"context"
	"encoding/json"
	"iter"

	"samkit.dev/host"
)

// absent is a service that a project asks for and was not given: every call
// says what would give it.
type absent struct{ service string }

var _ host.Caller = absent{}

func (a absent) Funcs() iter.Seq[host.Func] { return func(func(host.Func) bool) {} }

func (a absent) Call(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	grant, _ := json.Marshal(map[string]any{"uses": []string{a.service}}) // strings always encode
	return nil, &host.Error{
		Code: host.Denied, Message: "The service " + a.service + " was not given to this app.",
		Hint: "The program that serves the app gives it in App.Services.", Grant: grant,
	}
}
