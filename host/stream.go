package host

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"reflect"
	"runtime/debug"
)

// A Streaming says how the result of a function comes. The zero Streaming is all at once.
type Streaming uint8

// The ways beside that.
const (
	Bytes  Streaming = iota + 1 // of an io.Reader: in JavaScript a ReadableStream of Uint8Array
	Values                      // of an iter.Seq: in JavaScript an async iterable
)

// MaxStream is how many bytes a stream has at most, values as JSON.
const MaxStream = 256 << 20

// A Stream is a result on its way. Whoever takes it closes Body, after the last Read has returned. The errors of Body
// are [*Error] or io.EOF.
type Stream struct {
	Streaming
	Body io.ReadCloser // of Values: a line of JSON for each
}

type streamKey struct{}

// WithStreams returns a context in which a function that streams hands its result to take, once and before its call returns, with null for a result; a
// call that fails after that leaves the stream to be closed. The context has to live as long as the stream. In a context without, such a result is collected:
// an array, or base64, of [MaxResult] bytes at most.
func WithStreams(ctx context.Context, take func(*Stream)) context.Context {
	return context.WithValue(ctx, streamKey{}, take)
}

// StreamsFrom returns the take of [WithStreams], or nil. What stands between code and a function needs it if rights may end
// while a stream goes on.
func StreamsFrom(ctx context.Context) func(*Stream) {
	take, _ := ctx.Value(streamKey{}).(func(*Stream))
	return take
}

var (
	readerType     = reflect.TypeFor[io.Reader]()
	readCloserType = reflect.TypeFor[io.ReadCloser]()
	errorType      = reflect.TypeFor[error]()
)

// streaming returns how results of type t come, and the type of one value.
func streaming(t reflect.Type) (Streaming, reflect.Type) {
	if t == readerType || t == readCloserType {
		return Bytes, reflect.TypeFor[[]byte]()
	}
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		return 0, t
	}
	yield := t.In(0)
	if yield.NumOut() != 1 || yield.Out(0).Kind() != reflect.Bool || yield.NumIn() != 1 && (yield.NumIn() != 2 || yield.In(1) != errorType) {
		return 0, t
	}
	return Values, yield.In(0)
}

// newStream makes a stream of what a function returned.
func newStream(ctx context.Context, where string, how Streaming, result any, out *schema) *Stream {
	b := &streamBody{ctx: ctx, where: where}
	v := reflect.ValueOf(result)
	switch {
	case how == Bytes && result != nil:
		b.from = result.(io.Reader)
	case how == Values && !v.IsNil():
		b.from = newLines(where, v, out)
	default:
		b.from = bytes.NewReader(nil)
	}
	return &Stream{how, b}
}

// send hands a stream to whoever takes it, or collects it.
func (s *Stream) send(ctx context.Context) (json.RawMessage, error) {
	if take := StreamsFrom(ctx); take != nil {
		take(s)
		return json.RawMessage("null"), nil
	}
	defer s.Body.Close()
	data, err := io.ReadAll(io.LimitReader(s.Body, MaxResult+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxResult:
		return data, nil // is refused by its size
	case s.Streaming == Bytes:
		return json.Marshal(base64.StdEncoding.EncodeToString(data))
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	return append(append([]byte("["), bytes.Join(lines, []byte(","))...), ']'), nil
}

// A streamBody bounds what a function streams, and words its errors for sandboxed code.
type streamBody struct {
	ctx    context.Context
	where  string
	from   io.Reader
	n      int64
	failed error
}

func (b *streamBody) Read(p []byte) (n int, err error) {
	if b.failed != nil {
		return 0, b.failed
	}
	defer func() {
		if x := recover(); x != nil {
			call, _ := CallFrom(b.ctx)
			slog.ErrorContext(b.ctx, "host: a stream panicked", "func", b.where, "panic", x,
				"project", call.Project, "call", call.ID, "stack", string(debug.Stack()))
			n, err = 0, AsError(b.ctx, fmt.Errorf("%s panicked: %v", b.where, x))
		}
		b.failed = err
	}()
	if err := b.ctx.Err(); err != nil {
		return 0, AsError(b.ctx, err)
	}
	n, err = b.from.Read(p)
	if b.n += int64(n); b.n > MaxStream {
		return 0, &Error{Code: Exhausted, Message: fmt.Sprintf("The stream of %s has more than %d bytes.", b.where, MaxStream), Hint: "Ask for less.", Details: limitDetails("stream_bytes", MaxStream)}
	}
	if err != nil && b.ctx.Err() != nil { // an iterator just ends
		err = b.ctx.Err()
	}
	if err != nil && err != io.EOF {
		return n, AsError(b.ctx, err)
	}
	return n, err
}

// Close ends the function's iterator, or closes its reader.
func (b *streamBody) Close() (err error) {
	defer func() {
		if x := recover(); x != nil {
			slog.ErrorContext(b.ctx, "host: the end of a stream panicked", "func", b.where, "panic", x, "stack", string(debug.Stack()))
			err = fmt.Errorf("host: %s panicked", b.where)
		}
	}()
	if c, ok := b.from.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// lines are the values of an iterator, a line of JSON for each. The iterator is only as far as was read.
type lines struct {
	where string
	next  func() (value, fail reflect.Value, ok bool)
	stop  func()
	out   *schema
	line  []byte
}

func newLines(where string, v reflect.Value, out *schema) *lines {
	l := &lines{where: where, out: out}
	if v.Type().In(0).NumIn() == 2 {
		l.next, l.stop = iter.Pull2(v.Seq2())
		return l
	}
	next, stop := iter.Pull(v.Seq())
	l.next = func() (value, fail reflect.Value, ok bool) { value, ok = next(); return value, reflect.Value{}, ok }
	l.stop = stop
	return l
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.line) == 0 {
		v, fail, ok := l.next()
		if !ok {
			return 0, io.EOF
		}
		if fail.IsValid() && !fail.IsNil() {
			return 0, fail.Interface().(error)
		}
		data, err := json.Marshal(v.Interface())
		if err == nil {
			data, err = l.out.shape.encode(data)
		}
		if err != nil {
			return 0, fmt.Errorf("encode a value of %s: %w", l.where, err)
		}
		if len(data) > MaxResult {
			return 0, &Error{Code: Exhausted, Message: fmt.Sprintf("A value of %s has %d bytes, more than %d.", l.where, len(data), MaxResult), Hint: "Ask for less.", Details: limitDetails("result_bytes", MaxResult)}
		}
		l.line = append(data, '\n') // encoding/json writes none within
	}
	n := copy(p, l.line)
	l.line = l.line[n:]
	return n, nil
}

func (l *lines) Close() error {
	l.stop()
	return nil
}
