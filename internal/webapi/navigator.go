package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// navigatorGlobals is navigator.
var navigatorGlobals = []global{{"navigator", (*Realm).navigator}}

func (r *Realm) navigator() goja.Value {
	type state struct{ _ byte }
	c := r.Class("Navigator", 0, nil, func(c *jsrt.Class) {
		attribute := func(name string, v any) {
			c.Getter(name, func(this goja.Value) goja.Value {
				jsrt.This[*state](r.Runtime, this)
				return r.VM.ToValue(v)
			})
		}
		attribute("userAgent", "Cloudflare-Workers") // which code looks for
		attribute("language", "en")
		attribute("hardwareConcurrency", 1)
	})
	return c.New(&state{})
}
