package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
	"samkit.dev/kv"
)

// The verbs of a KV call.
const (
	kvGet byte = iota + 1
	kvGetBulk
	kvPut
	kvDelete
	kvList
)

// A kvBinding is what a KvNamespace carries.
type kvBinding uint32

// kvObject is a namespace as Workers has it. Keys and options are read here, once;
// everything else, the rules and their words included, is package kv's.
func (in *instance) kvObject(binding uint32) goja.Value {
	rt := in.realm
	const class = "KvNamespace"
	return rt.Class(class, 0, nil, func(c *jsrt.Class) {
		method := func(name string, length int, fn func(uint32, goja.FunctionCall) goja.Value) {
			c.Async(name, length, func(f goja.FunctionCall) goja.Value {
				return fn(uint32(jsrt.This[kvBinding](rt.Runtime, f.This)), f)
			})
		}
		method("get", 1, func(binding uint32, f goja.FunctionCall) goja.Value {
			in.required(f, 0, "get", class, "string or Array")
			return in.kvRead(binding, f, false)
		})
		method("getWithMetadata", 1, func(binding uint32, f goja.FunctionCall) goja.Value {
			in.required(f, 0, "getWithMetadata", class, "Array or string")
			return in.kvRead(binding, f, true)
		})
		method("put", 2, func(binding uint32, f goja.FunctionCall) goja.Value {
			in.required(f, 0, "put", class, "string")
			in.required(f, 1, "put", class, "string or JsObject")
			in.optional(f, 2, "put", class, "PutOptions")
			return in.kvWrite(binding, f)
		})
		method("delete", 1, func(binding uint32, f goja.FunctionCall) goja.Value {
			in.required(f, 0, "delete", class, "string")
			return in.kvDelete(binding, f.Argument(0))
		})
		method("list", 0, func(binding uint32, f goja.FunctionCall) goja.Value {
			in.optional(f, 0, "list", class, "ListOptions")
			return in.kvList(binding, f.Argument(0))
		})
	}).New(kvBinding(binding))
}

func (in *instance) kvDelete(binding uint32, v goja.Value) goja.Value {
	keys, ok := in.stringList(v)
	switch {
	case !ok:
		keys = []string{in.text(v)}
	case len(keys) > kv.MaxBulk || len(keys) == 0:
		panic(in.realm.NewError("Error", "KV DELETE failed: 400 You can delete 1 to 100 keys at once"))
	}
	return in.ask(binding, appendStrings([]byte{kvDelete}, keys), func(*isolate.Reader) goja.Value { return goja.Undefined() })
}

func appendStrings(b []byte, list []string) []byte {
	b = isolate.AppendUint32(b, uint32(len(list)))
	for _, s := range list {
		b = isolate.AppendString(b, s)
	}
	return b
}

func readStrings(rd *isolate.Reader) []string {
	list := make([]string, rd.Count(4))
	for i := range list {
		list[i] = rd.String()
	}
	return list
}

// stringList reads an array of strings, at most one more than a call may name.
func (in *instance) stringList(v goja.Value) (list []string, ok bool) {
	o, isObject := v.(*goja.Object)
	if !isObject || o.ClassName() != "Array" {
		return nil, false
	}
	in.realm.VM.ForOf(o, func(e goja.Value) bool {
		list = append(list, in.text(e))
		return len(list) <= kv.MaxBulk
	})
	return list, true
}

// kvRead is get and getWithMetadata, of one key or of several.
func (in *instance) kvRead(binding uint32, f goja.FunctionCall, metadata bool) goja.Value {
	keys, bulk := in.stringList(f.Argument(0))
	verb := "GET"
	if bulk {
		verb = "GET_BULK"
	}
	typ := "text"
	if o, ok := f.Argument(1).(*goja.Object); ok {
		if v := jsrt.Option(o, "type"); v != nil {
			typ = v.String()
		}
		if v := jsrt.Option(o, "cacheTtl"); v != nil {
			if ttl := in.integer(v); ttl < 30 {
				panic(in.realm.NewError("Error", fmt.Sprintf("KV %s failed: 400 Invalid cache_ttl of %d. Cache TTL must be at least 30.", verb, ttl)))
			}
		}
	} else if jsrt.Defined(f.Argument(1)) {
		typ = f.Argument(1).String()
	}
	if bulk {
		return in.kvReadBulk(binding, keys, typ, metadata)
	}
	p := isolate.AppendString([]byte{kvGet}, in.text(f.Argument(0)))
	return in.ask(binding, p, func(rd *isolate.Reader) goja.Value {
		found, value, meta := rd.Bool(), rd.String(), rd.String()
		v := goja.Null()
		if found {
			v = in.kvValue(typ, value)
		}
		if !metadata {
			return v
		}
		return in.withMetadata(v, meta, true)
	})
}

func (in *instance) withMetadata(v goja.Value, meta string, status bool) goja.Value {
	o := in.realm.VM.NewObject()
	jsrt.Data(o, "value", v)
	m := goja.Null()
	if meta != "" {
		m = in.realm.ParseJSON(meta)
	}
	jsrt.Data(o, "metadata", m)
	if status {
		jsrt.Data(o, "cacheStatus", goja.Null())
	}
	return o
}

// kvValue gives a value the type asked for.
func (in *instance) kvValue(typ, value string) goja.Value {
	switch typ {
	case "text":
		return in.realm.DecodeText(value)
	case "json":
		return in.realm.ParseJSON(value)
	case "arrayBuffer":
		return in.realm.Buffer([]byte(value))
	case "stream":
		return in.realm.Stream([]byte(value))
	}
	in.realm.TypeError(`Unknown response type. Possible types are "text", "arrayBuffer", "json", and "stream".`)
	return nil
}

func (in *instance) kvReadBulk(binding uint32, keys []string, typ string, metadata bool) goja.Value {
	fail := func(text string) { panic(in.realm.NewError("Error", "KV GET_BULK failed: 400 "+text)) }
	if typ != "text" && typ != "json" {
		fail(`"` + typ + `" is not a valid type. Use "json" or "text"`)
	}
	p := appendStrings([]byte{kvGetBulk}, keys)
	return in.ask(binding, p, func(rd *isolate.Reader) goja.Value {
		m, err := in.realm.VM.New(in.realm.VM.Get("Map"))
		if err != nil {
			panic(err)
		}
		set, _ := goja.AssertFunction(m.Get("set"))
		for _, key := range keys {
			found, value, meta := rd.Bool(), rd.String(), rd.String()
			v := goja.Null()
			if found {
				if in.realm.Try(func() { v = in.kvValue(typ, value) }) != nil {
					fail("At least one of the requested keys corresponds to a non-json value")
				}
				if metadata {
					v = in.withMetadata(v, meta, false)
				}
			}
			if !isIndex(key) {
				in.realm.Call(set, m, in.realm.VM.ToValue(key), v)
			}
		}
		return m
	})
}

// isIndex reports whether a key is the index of an array: workerd makes the Map of an
// object, and loses those on the way.
func isIndex(key string) bool {
	n, err := strconv.ParseUint(key, 10, 32)
	return err == nil && n < math.MaxUint32 && strconv.FormatUint(n, 10) == key
}

// kvWrite is put. A stream is read to its end first.
func (in *instance) kvWrite(binding uint32, f goja.FunctionCall) goja.Value {
	key, v, options := in.text(f.Argument(0)), f.Argument(1), f.Argument(2)
	var tail []byte
	num := func(name string) {
		n, set := int64(0), false
		if v := jsrt.Option(options, name); v != nil {
			n, set = in.integer(v), true
		}
		tail = isolate.AppendBool(tail, set)
		tail = isolate.AppendUint64(tail, uint64(n))
	}
	num("expirationTtl")
	num("expiration")
	meta := []byte(nil)
	if m := jsrt.Option(options, "metadata"); m != nil && !goja.IsNull(m) {
		var ok bool
		if meta, ok = in.realm.JSON(m); !ok {
			panic(in.realm.NewError("Error", "KV PUT failed: 500 Internal Server Error")) // as JSON has nothing for it
		}
	}
	tail = isolate.AppendBytes(tail, meta)
	send := func(value []byte) goja.Value {
		p := isolate.AppendString([]byte{kvPut}, key)
		p = isolate.AppendBytes(p, value)
		return in.ask(binding, append(p, tail...), func(*isolate.Reader) goja.Value { return goja.Undefined() })
	}
	if b, ok := in.realm.Bytes(v); ok {
		return send(b)
	}
	if _, ok := v.(*goja.Object); ok {
		if promise, ok := in.realm.ReadStream(v, send); ok {
			return promise
		}
		in.realm.TypeError("KV put() accepts only strings, ArrayBuffers, ArrayBufferViews, and ReadableStreams as values.")
	}
	return send([]byte(in.text(v)))
}

func (in *instance) kvList(binding uint32, options goja.Value) goja.Value {
	text := func(name string) string {
		if v := jsrt.Option(options, name); v != nil && !goja.IsNull(v) {
			return in.text(v)
		}
		return ""
	}
	limit := int64(0)
	if v := jsrt.Option(options, "limit"); v != nil {
		limit = in.integer(v)
	}
	p := isolate.AppendString([]byte{kvList}, text("prefix"))
	p = isolate.AppendString(p, text("cursor"))
	p = isolate.AppendUint64(p, uint64(limit))
	return in.ask(binding, p, func(rd *isolate.Reader) goja.Value {
		rt := in.realm
		keys := make([]any, rd.Count(16))
		for i := range keys {
			k := rt.VM.NewObject()
			jsrt.Data(k, "name", rt.VM.ToValue(rd.String()))
			if at := int64(rd.Uint64()); at != 0 {
				jsrt.Data(k, "expiration", rt.VM.ToValue(at))
			}
			if meta := rd.String(); meta != "" {
				jsrt.Data(k, "metadata", rt.ParseJSON(meta))
			}
			keys[i] = k
		}
		next, complete := rd.String(), rd.Bool()
		res := rt.VM.NewObject()
		jsrt.Data(res, "keys", rt.VM.NewArray(keys...))
		jsrt.Data(res, "list_complete", rt.VM.ToValue(complete))
		if !complete {
			jsrt.Data(res, "cursor", rt.VM.ToValue(next))
		}
		jsrt.Data(res, "cacheStatus", goja.Null())
		return res
	})
}

// performKV answers a KV call.
func performKV(ctx context.Context, ns *kv.Namespace, rd *isolate.Reader, b []byte) ([]byte, error) {
	out, err := performKVVerb(ctx, ns, rd, b)
	var refused *kv.Error
	if errors.As(err, &refused) {
		class := "Error"
		if refused.Status == 0 {
			class = "TypeError"
		}
		return nil, &jsError{class: class, message: refused.Error(), err: err}
	}
	if props := limitProps(err); props != nil {
		return nil, &jsError{class: "Error", message: "KV PUT failed: 413 " + limitText(err), props: props, err: err}
	}
	return out, err
}

func performKVVerb(ctx context.Context, ns *kv.Namespace, rd *isolate.Reader, b []byte) ([]byte, error) {
	switch rd.Byte() {
	case kvGet:
		e, err := ns.Get(ctx, rd.String())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return appendEntry(b, e, err == nil), nil
	case kvGetBulk:
		keys := readStrings(rd)
		found, err := ns.GetBulk(ctx, keys...)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			e, ok := found[k]
			b = appendEntry(b, e, ok)
		}
		return b, nil
	case kvPut:
		return b, kvPutEntry(ctx, ns, rd)
	case kvDelete:
		return b, ns.Delete(ctx, readStrings(rd)...)
	case kvList:
		prefix, cursor, limit := rd.String(), rd.String(), int64(rd.Uint64())
		if limit <= 0 { // as the client of Workers does
			limit = kv.MaxPage
		}
		entries, next, complete, err := ns.ListPage(ctx, prefix, cursor, int(min(limit, math.MaxInt32)))
		if err != nil {
			return nil, err
		}
		b = isolate.AppendUint32(b, uint32(len(entries)))
		for _, e := range entries {
			b = isolate.AppendString(b, e.Key)
			at := int64(0)
			if !e.Expires.IsZero() {
				at = e.Expires.Unix()
			}
			b = isolate.AppendUint64(b, uint64(at))
			b = isolate.AppendBytes(b, e.Metadata)
		}
		b = isolate.AppendString(b, next)
		return isolate.AppendBool(b, complete), nil
	}
	return nil, &jsError{class: "TypeError", message: "no such KV call"}
}

func appendEntry(b []byte, e kv.Entry, found bool) []byte {
	b = isolate.AppendBool(b, found)
	b = isolate.AppendBytes(b, e.Value)
	return isolate.AppendBytes(b, e.Metadata)
}

func kvPutEntry(ctx context.Context, ns *kv.Namespace, rd *isolate.Reader) error {
	e := kv.Entry{Key: rd.String(), Value: []byte(rd.String())}
	hasTTL, ttl := rd.Bool(), int64(rd.Uint64())
	hasAt, at := rd.Bool(), int64(rd.Uint64())
	e.Metadata = json.RawMessage(rd.String())
	if err := rd.Close(); err != nil {
		return err
	}
	var expires time.Time
	var err error
	switch {
	case hasTTL: // it wins over the other, as in Workers
		expires, err = kv.ExpireAfter(ttl)
	case hasAt:
		expires, err = kv.ExpireAt(at)
	}
	if err != nil {
		return err
	}
	e.Expires = expires
	return ns.Put(ctx, e)
}
