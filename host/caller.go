package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
)

// A Caller is a group of functions that sandboxed code may be given.
// [*Capability] and [*Capabilities] implement it; a program may, for functions
// it learns at run time. It must be safe for concurrent use.
type Caller interface {
	// Funcs yields the functions. Its answer may change between calls.
	Funcs() iter.Seq[Func]
	// Call calls a function. The caller may not keep or change args after
	// Call returns, and owns the result. Errors that are no *Error reach
	// sandboxed code as Internal.
	Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
}

var (
	_ Caller = (*Capability)(nil)
	_ Caller = (*Capabilities)(nil)
)

// A Func describes a function.
type Func struct {
	Capability string          // "crm"; "" stands directly under the binding: env.TOOL.close()
	Version    int             // of the capability, from 1
	Name       string          // "lookup"
	Doc        string          // one sentence, for agents
	Input      json.RawMessage // JSON Schema
	Output     json.RawMessage // JSON Schema; of one value, if the result is Values
	Streaming  Streaming       // how the result comes; zero means all at once
	Reads      bool            // changes nothing, so it may run without approval
	Files      bool            // acts on files that its arguments name, and asks tool.Check for each
}

// A FuncOption says more about a function.
type FuncOption func(*Func)

// Reads says that a function changes nothing, so that it may run without approval.
func Reads(f *Func) { f.Reads = true }

// OnFiles says that a function acts on files of projects that its arguments name.
// It calls tool.Check for each before it touches it: sandboxed code gets the function
// with any grant of files.
func OnFiles(f *Func) { f.Files = true }

// A Valuer is a [Caller] with constants beside its functions, such as
// env.HOST.apiVersion. Each is JSON, by its name. They may not change.
type Valuer interface {
	Caller
	Values() map[string]json.RawMessage
}

// Limits of a call.
const (
	MaxArgs   = 16 << 20 // bytes of the arguments
	MaxResult = 32 << 20 // bytes of the result
	MaxDepth  = 64       // levels of objects and arrays in the arguments
)

// HashArgs returns what [Record] holds for args.
func HashArgs(args json.RawMessage) string {
	sum := sha256.Sum256(args)
	return hex.EncodeToString(sum[:])
}
