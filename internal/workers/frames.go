package workers

import (
	"samkit.dev/internal/isolate"
)

// The frames between the pool and a runner. Those of a request carry its call id.
const (
	// To the runner.
	frameLoad    byte = iota + 1 // call is the app's id: code, bindings, limits
	frameUnload                  // call is the app's id
	frameRequest                 // app id, the request, a first or only piece of its body
	frameReplies                 // answers to binding calls
	frameBody                    // more of the request body
	frameCredit                  // how many more bytes of response body may come
	frameCancel                  // nobody waits for the response any more
	frameTrim                    // give memory back
	frameHear                    // a message of a WebSocket's client

	// From the runner.
	frameHead    // status, headers, a whole or the start of a body
	frameChunk   // more of the response body
	frameEnd     // the response body is complete
	frameFail    // the request failed
	frameDone    // the last frame of a call
	frameOps     // binding calls
	frameEmit    // a message for a WebSocket's client
	framePull    // more of the request body is wanted
	frameConsole // an entry; call 0 if no request printed it
)

// How the rest of a body comes.
const (
	bodyWhole  byte = iota // it is all here
	bodyStream             // the rest follows in frames
	bodySocket             // there is none, but a WebSocket
)

// streamWindow is how many bytes of a body may be under way before the reader
// must have taken some.
const streamWindow = 256 << 10

func appendHeader(b []byte, kv []string) []byte {
	b = isolate.AppendUint32(b, uint32(len(kv)/2))
	for _, s := range kv[:len(kv)/2*2] {
		b = isolate.AppendString(b, s)
	}
	return b
}

// maxHeaders is the most headers of a response.
const maxHeaders = 10_000

func readHeader(r *isolate.Reader) []string {
	n := r.Count(8)
	if n == 0 {
		return nil
	}
	kv := make([]string, 2*n)
	for i := range kv {
		kv[i] = r.String()
	}
	return kv
}

// A failure is an [Error] on its way from the runner.
type failure struct {
	code, message, stack string
}

func (f *failure) append(b []byte) []byte {
	b = isolate.AppendString(b, f.code)
	b = isolate.AppendString(b, f.message)
	return isolate.AppendString(b, f.stack)
}

func readFailure(r *isolate.Reader) failure {
	return failure{r.String(), r.String(), r.String()}
}
