package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// A function is a Func and how it is called.
type function struct {
	Func
	input *jsonschema.Resolved
	empty json.RawMessage // what no arguments mean
	call  func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

var functionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`) })

// unfit are names that mean something else on a JavaScript object.
var unfit = []string{"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
	"prototype", "then", "toJSON", "toLocaleString", "toString", "valueOf"}

// Register adds fn; [Reads] marks one that changes nothing. Schemas come from
// In and Out and their json and jsonschema tags (the latter is a property's
// description); property names are those of encoding/json. It panics if the
// name is taken or is no JavaScript identifier of ASCII letters, digits and _,
// if an exported field has no json name, or if a type cannot be encoded;
// recursive types need [Capability.Add].
//
// If Out is io.Reader or io.ReadCloser, iter.Seq[T] or iter.Seq2[T, error], the result streams: see "Streams" in the package's documentation.
func Register[In, Out any](c *Capability, name, doc string, fn func(context.Context, In) (Out, error), opts ...FuncOption) {
	where := fmt.Sprintf("%s.%s", c, name)
	in, err := inferSchema(reflect.TypeFor[In](), true)
	if err != nil {
		panic(fmt.Sprintf("host: %s: input: %v", where, err))
	}
	how, result := streaming(reflect.TypeFor[Out]())
	out, err := inferSchema(result, false)
	if err != nil {
		panic(fmt.Sprintf("host: %s: output: %v", where, err))
	}
	f := Func{Name: name, Doc: doc}
	for _, opt := range opts {
		opt(&f)
	}
	f.Name, f.Input, f.Output, f.Streaming = name, in.json, out.json, how
	c.Add(f, func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		args, err := in.shape.decode(args)
		if err != nil {
			return nil, &Error{Code: Invalid, Message: fmt.Sprintf("%s: %v.", where, err)}
		}
		var v In
		if err := json.Unmarshal(args, &v); err != nil {
			return nil, unmarshalError(where, err)
		}
		r, err := fn(ctx, v)
		if err != nil {
			return nil, err
		}
		if how != 0 {
			return newStream(ctx, where, how, r, out).send(ctx)
		}
		result, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("encode the result of %s: %w", where, err)
		}
		return out.shape.encode(result)
	})
}

// Add adds a function whose schemas are given, for types that none can be
// inferred from. A schema left out accepts everything. Capability and Version
// of f are set by c. The call gets arguments that Input accepts, and must not
// keep them. It panics if the name is taken or unfit, or if a schema is wrong
// or refers to another document.
func (c *Capability) Add(f Func, call func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)) {
	where := fmt.Sprintf("%s.%s", c, f.Name)
	if len(f.Name) > maxName || !functionName().MatchString(f.Name) || slices.Contains(unfit, f.Name) {
		panic(fmt.Sprintf("host: %s: %q does not fit as the name of a function", where, f.Name))
	}
	if call == nil {
		panic(fmt.Sprintf("host: %s: nothing to call", where))
	}
	f.Capability, f.Version = c.name, c.version
	fn := &function{Func: f, call: call}
	var err error
	if fn.Func.Input, fn.input, err = resolve(f.Input); err != nil {
		panic(fmt.Sprintf("host: %s: input: %v", where, err))
	}
	if fn.Func.Output, _, err = resolve(f.Output); err != nil {
		panic(fmt.Sprintf("host: %s: output: %v", where, err))
	}
	fn.empty = json.RawMessage("null")
	if s := fn.input.Schema(); s.Type == "object" || slices.Contains(s.Types, "object") {
		fn.empty = json.RawMessage("{}")
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	c.set.mustBeOpen("registration", where)
	if c.byName[f.Name] != nil {
		panic(fmt.Sprintf("host: %s is registered twice", where))
	}
	c.funcs = append(c.funcs, fn)
	c.byName[f.Name] = fn
}

func (f *function) invoke(ctx context.Context, args json.RawMessage) (result json.RawMessage, err error) {
	where := fmt.Sprintf("%s@%d.%s", f.Capability, f.Version, f.Name)
	if len(args) == 0 {
		args = f.empty
	}
	if e := checkArgs(where, args); e != nil {
		return nil, e
	}
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return nil, unmarshalError(where, err)
	}
	if err := f.input.Validate(v); err != nil {
		return nil, validationError(where, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, AsError(ctx, err)
	}
	result, err = f.guarded(ctx, where, args)
	if err != nil {
		return nil, AsError(ctx, err)
	}
	if len(result) > MaxResult {
		return nil, &Error{Code: Exhausted, Message: fmt.Sprintf("The result of %s has %d bytes, more than %d.", where, len(result), MaxResult),
			Hint: "Ask for less.", Details: limitDetails("result_bytes", MaxResult)}
	}
	if !json.Valid(result) {
		return nil, AsError(ctx, fmt.Errorf("%s returned what is not JSON", where))
	}
	return result, nil
}

// guarded turns a panic of the function into an error that nobody outside the
// program can read.
func (f *function) guarded(ctx context.Context, where string, args json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			call, _ := CallFrom(ctx)
			slog.ErrorContext(ctx, "host: function panicked", "func", where, "panic", p,
				"project", call.Project, "call", call.ID, "stack", string(debug.Stack()))
			result, err = nil, fmt.Errorf("%s panicked: %v", where, p)
		}
	}()
	return f.call(ctx, args)
}
