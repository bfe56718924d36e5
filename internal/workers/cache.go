package workers

import (
	"net/http"

	"github.com/dop251/goja"

	"samkit.dev/internal/httpcache"
	"samkit.dev/internal/isolate"
	"samkit.dev/internal/webapi"
)

// cacheBinding is the number under which code reaches the Cache API, which every app has
// without asking. What it keeps belongs to the app's domain.
const cacheBinding = networkBinding - 1

// The verbs of a cache call.
const (
	cacheMatch byte = iota + 1
	cachePut
	cacheDelete
)

// Cache sends a call of the Cache API to the pool.
func (h surroundings) Cache(c *webapi.CacheCall, answer func(*webapi.Outgoing, bool) goja.Value) goja.Value {
	verb := cacheMatch
	switch {
	case c.Put != nil:
		verb = cachePut
	case c.Delete:
		verb = cacheDelete
	}
	p := isolate.AppendString([]byte{verb}, c.Cache)
	p = isolate.AppendString(p, c.URL)
	p = appendHeader(p, c.Header)
	if c.Put != nil {
		p = isolate.AppendUint32(p, uint32(c.Put.Status))
		p = appendHeader(p, c.Put.Header)
		p = isolate.AppendBytes(p, c.Put.Body)
	}
	return h.in.ask(cacheBinding, p, func(rd *isolate.Reader) goja.Value {
		if !rd.Bool() || verb != cacheMatch {
			return answer(nil, verb == cacheDelete && rd.Bool())
		}
		res := &webapi.Outgoing{Status: int(rd.Uint32())}
		res.StatusText, res.Header = http.StatusText(res.Status), readHeader(rd)
		res.Body = []byte(rd.String())
		return answer(res, false)
	})
}

// performCache runs a cache call of an app.
func performCache(store *httpcache.Store, app *App, rd *isolate.Reader, b []byte) ([]byte, error) {
	verb := rd.Byte()
	key := httpcache.Key{Cache: rd.String(), URL: rd.String()}
	header := readHeader(rd)
	if verb == cachePut {
		res := &httpcache.Response{Status: int(rd.Uint32()), Header: readHeader(rd)}
		res.Body = []byte(rd.String())
		if err := rd.Close(); err != nil {
			return nil, err
		}
		// It outlives the worker, so what a worker made up must not trouble the next.
		if len(res.Header) > 2*maxHeaders || checkHead(&Response{Status: res.Status, Header: res.Header}, bodyWhole) != nil {
			return nil, &jsError{class: "TypeError", message: "the response cannot be kept: its status or its headers are none"}
		}
		return isolate.AppendBool(b, store.Put(app.Domain, key, header, res)), nil
	}
	if err := rd.Close(); err != nil {
		return nil, err
	}
	switch verb {
	case cacheMatch:
		res, ok := store.Match(app.Domain, key, header)
		b = isolate.AppendBool(b, ok)
		if !ok {
			return b, nil
		}
		b = isolate.AppendUint32(b, uint32(res.Status))
		b = appendHeader(b, res.Header)
		return isolate.AppendBytes(b, res.Body), nil
	case cacheDelete:
		return isolate.AppendBool(isolate.AppendBool(b, true), store.Delete(app.Domain, key)), nil
	}
	return nil, &jsError{class: "TypeError", message: "no such cache call"}
}
