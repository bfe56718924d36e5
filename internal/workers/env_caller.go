package workers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"samkit.dev/host"
	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
)

func callerGroups(c host.Caller) []funcGroup {
	if c == nil {
		return nil
	}
	var groups []funcGroup
	at := map[string]int{}
	for f := range c.Funcs() {
		key := fmt.Sprintf("%s@%d", f.Capability, f.Version)
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, funcGroup{name: f.Capability, version: f.Version})
		}
		groups[i].funcs = append(groups[i].funcs, f.Name)
	}
	return groups
}

// callerValues are the constants of a caller as one JSON object, nil if it has none.
func callerValues(c host.Caller) []byte {
	v, ok := c.(host.Valuer)
	if !ok {
		return nil
	}
	values := v.Values()
	if len(values) == 0 {
		return nil
	}
	b, err := json.Marshal(values)
	if err != nil {
		return nil // what is no JSON can't be shown
	}
	return b
}

// callerObject is env.CRM with its functions directly on it, or env.HOST with
// an object for each capability: "crm" the oldest version, "crm@2" a chosen one. Functions
// without a capability stand beside them, and constants.
func (in *instance) callerObject(binding uint32, d bindingSpec) goja.Value {
	rt := in.realm
	top := rt.VM.NewObject()
	oldest := map[string]int{}
	for _, g := range d.groups {
		if v, ok := oldest[g.name]; !ok || g.version < v {
			oldest[g.name] = g.version
		}
	}
	in.constants(top, d.json)
	for _, g := range d.groups {
		o := top
		if !d.flat && g.name != "" {
			o = rt.VM.NewObject()
			jsrt.Data(top, fmt.Sprintf("%s@%d", g.name, g.version), o)
			if oldest[g.name] == g.version {
				jsrt.Data(top, g.name, o)
			}
		} else if oldest[g.name] != g.version {
			continue
		}
		for _, name := range g.funcs {
			full := fmt.Sprintf("%s@%d.%s", g.name, g.version, name)
			if d.flat || g.name == "" {
				full = name
			}
			rt.Method(o, name, 1, func(f goja.FunctionCall) goja.Value {
				return rt.Async(func() goja.Value { return in.callHost(binding, full, f.Argument(0)) })
			})
		}
	}
	return top
}

// constants puts the members of a JSON object on top.
func (in *instance) constants(top *goja.Object, text string) {
	if text == "" {
		return
	}
	values, ok := in.variable(text).(*goja.Object)
	if !ok {
		return
	}
	for _, k := range values.Keys() {
		jsrt.Data(top, k, values.Get(k))
	}
}

func (in *instance) callHost(binding uint32, name string, arg goja.Value) goja.Value {
	args := []byte("{}")
	if !goja.IsUndefined(arg) {
		args = in.realm.Stringify(arg)
	}
	p := isolate.AppendString(nil, name)
	p = isolate.AppendBytes(p, args)
	o := &op{binding: binding, payload: p, call: in.charge(), promise: in.realm.Defer()}
	o.convert = func(rd *isolate.Reader) goja.Value {
		if how := host.Streaming(rd.Byte()); how != 0 {
			return in.stream(o, how, rd)
		}
		text := rd.String()
		if text == "" {
			return goja.Undefined()
		}
		return in.realm.ParseJSON(text)
	}
	in.send(o)
	return o.promise.Promise
}

func performCaller(ctx context.Context, c host.Caller, streams *callerStreams, o opCall, rd *isolate.Reader, b []byte) ([]byte, error) {
	name := rd.String()
	if name == "" {
		return streams.perform(o, rd, b)
	}
	args := rd.String()
	if err := rd.Close(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &callerStream{binding: o.binding, cancel: cancel}
	out, err := c.Call(host.WithStreams(ctx, s.take), name, json.RawMessage(args))
	switch {
	case err != nil:
		s.close()
		return nil, err
	case s.body == nil:
		cancel()
		return isolate.AppendBytes(append(b, 0), out), nil
	}
	return streams.begin(o, s, b)
}
