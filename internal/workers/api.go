// Package workers runs the functions.js of apps: it turns a request into
// JavaScript and back, in worker processes or in this one.
//
// A [Pool] owns the workers. Code that is kept apart lives in different
// domains: one worker process serves one domain. The parent process holds all
// authority; a worker can only ask, over its pipe, for what its [App] binds.
package workers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/kv"
	"samkit.dev/sqlshim"
)

// An App is the code of a project and what it may reach. It is immutable; a
// changed project is a new App with another Version.
type App struct {
	Domain   string // the trust domain: owner, project, role and session
	Version  string // of code and bindings; a new one gets a new isolate
	Script   *Script
	Bindings []Binding
	Limits   Limits
	Project  string    // for host.Call
	Role     host.Role // for host.Call
	Session  string    // for host.Call

	// Network carries out what fetch asks for; nil means that there is none. Its
	// errors are [*NetworkError]s.
	Network func(context.Context, *Outbound) (*Inbound, error)

	// Console receives what the code prints and what goes wrong in it, with
	// positions in the files as written. It must not block. Nil discards.
	Console func(console.Entry)
	// Fresh gives every request an isolate of its own.
	Fresh bool
	// Prompt gives the code what a session at a prompt needs, see [promptName].
	Prompt bool
	// Idle is how long the worker stays without a request, if it is started for this app; zero means as long as the pool has it.
	Idle time.Duration
}

// A Script is a bundled functions.js.
type Script struct {
	Code []byte            // a CommonJS body that sets module.exports.default
	Map  []byte            // source map (version 3) of Code, or nil
	Hash string            // of Code; equal hashes mean equal code
	Wasm map[string][]byte // the WebAssembly modules that Code imports, by name
	// After is another CommonJS body, or "". It runs when Code has run, in the same isolate and with the same module: what Code set
	// module.exports to it may wrap. A worker compiles it once for all scripts that have it. Its frames are in no stack.
	After string

	compiles  sync.Once
	wasm      bool // of compiles: it may run WebAssembly
	positions positions
}

// A Binding is one member of env. Exactly one field beside Name is set.
type Binding struct {
	Name   string
	KV     *kv.Namespace
	DB     *sqlshim.DB
	JSON   json.RawMessage // a variable; a JSON string is a secret or a plain one
	Caller host.Caller     // env.CRM.lookup(…), env.HOST.crm.lookup(…)
	Flat   bool            // of Caller: functions stand directly under the binding, not under their capability
	// Fetch answers env.ASSETS.fetch(…) and env.SERVICE.fetch(…).
	Fetch func(context.Context, *Request) (*Response, error)
	// Absent says why there is no such binding: using a member of it throws that.
	Absent string
}

// Limits bounds one request. Zero fields mean the pool's.
type Limits struct {
	Wall         time.Duration
	CPU          time.Duration
	Memory       int64
	RequestBody  int64
	ResponseBody int64
	Console      int64
	Calls        int
	Fetches      int
	RowsRead     int64
	RowsWritten  int64
}

// A Request is what functions.js sees.
type Request struct {
	Method    string
	URL       string    // absolute
	Header    []string  // name, value, name, value …
	Body      io.Reader // may be read until after the answer; who gives it ends a Read that waits then
	Length    int64     // of Body in bytes; -1 if unknown, 0 if there is none
	Principal string
	Life      context.Context // when it ends so does all of the request, with waitUntil and its calls of bindings; nil means never
	Scheduled *Scheduled      // if set, the scheduled handler runs instead; the response is empty
}

// ErrOver is the cause of a context of Fetch that has ended because the request may do nothing
// more, rather than because nobody waits: it then ends altogether, as with its Life.
var ErrOver = errors.New("workers: the request's rights have ended")

// A Response is what functions.js answered. At most one of Bytes, Body and
// Socket is used; the caller closes Body and Socket, which cancels what is
// still being produced.
type Response struct {
	Status     int // 200 to 599, or 101 with a Socket
	StatusText string
	Header     []string // lower-case name, value …; may hold several set-cookie
	Bytes      []byte
	Body       io.ReadCloser
	Socket     *Socket
}

// An Error is a request that functions.js did not answer.
type Error struct {
	Code    string // "limit_wall", "limit_cpu", "limit_memory", "limit_calls", "limit_request_body", "limit_response_body", "limit_console", "limit_fetches" and the other codes of a NetworkError, "exception", "no_handler", "no_response", "unavailable", "canceled", "worker_died"
	Message string // for whoever may read the code
	Stack   string // in the files as written, or ""
	Status  int    // the HTTP status that fits
	Retry   time.Duration
	Err     error
}

func (e *Error) Error() string { return "workers: " + e.Code + ": " + e.Message }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }
