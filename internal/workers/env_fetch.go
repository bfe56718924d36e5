package workers

import (
	"bytes"
	"context"
	"io"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/webapi"
)

// fetcherObject is env.ASSETS or a service: something with fetch(request).
func (in *instance) fetcherObject(binding uint32) goja.Value {
	rt := in.realm
	o := rt.VM.NewObject()
	rt.Method(o, "fetch", 1, func(f goja.FunctionCall) goja.Value {
		return rt.Async(func() goja.Value {
			return rt.Departing(f.Argument(0), f.Argument(1), func(q *webapi.Departure) goja.Value {
				p := isolate.AppendString(nil, q.Method)
				p = isolate.AppendString(p, q.URL)
				p = appendHeader(p, q.Header)
				p = isolate.AppendBytes(p, q.Body)
				return in.ask(binding, p, func(rd *isolate.Reader) goja.Value {
					out := &webapi.Outgoing{Status: int(rd.Uint32()), StatusText: rd.String(), Header: readHeader(rd)}
					out.Body = []byte(rd.String())
					return rt.NewResponse(out, q.URL)
				})
			})
		})
	})
	return o
}

// maxFetched bounds a body that another part of the program answers with.
const maxFetched = 32 << 20

func performFetch(ctx context.Context, fetch func(context.Context, *Request) (*Response, error), rd *isolate.Reader, b []byte) ([]byte, error) {
	q := &Request{Method: rd.String(), URL: rd.String(), Header: readHeader(rd)}
	body := rd.String()
	if err := rd.Close(); err != nil {
		return nil, err
	}
	if body != "" {
		q.Body, q.Length = bytes.NewReader([]byte(body)), int64(len(body))
	}
	p, err := fetch(ctx, q)
	if err != nil {
		return nil, err
	}
	data := p.Bytes
	if p.Body != nil {
		data, err = io.ReadAll(io.LimitReader(p.Body, maxFetched+1))
		if cerr := p.Body.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return nil, err
		}
	}
	if len(data) > maxFetched {
		return nil, &jsError{class: "Error", message: "the response of the binding is too large"}
	}
	b = isolate.AppendUint32(b, uint32(p.Status))
	b = isolate.AppendString(b, p.StatusText)
	b = appendHeader(b, p.Header)
	return isolate.AppendBytes(b, data), nil
}
