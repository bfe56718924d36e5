package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// urlGlobals are URL and URLSearchParams.
var urlGlobals = []global{
	class("URL", (*Realm).urlClass),
	class("URLSearchParams", (*Realm).searchParamsClass),
}

// A urlObject is what a URL carries.
type urlObject struct {
	rec    *urlRecord
	params *searchParams // nil until asked for
}

// record is the URL, with the changes that were made through its params.
func (o *urlObject) record() *urlRecord {
	if o.params != nil && o.params.dirty {
		o.params.dirty = false
		p := o.rec.parts()
		p.query = serializeForm(o.params.list)
		p.hasQuery = p.query != ""
		o.rec = p.record()
	}
	return o.rec
}

// replace gives the URL a new value.
func (o *urlObject) replace(u *urlRecord) {
	o.rec = u
	if o.params != nil {
		o.params.dirty = false
		o.params.list = parseForm(o.queryText())
	}
}

func (o *urlObject) queryText() string {
	if s := o.rec.search(); s != "" {
		return s[1:]
	}
	return ""
}

// urlArguments parses the arguments of URL's constructor and static methods.
func (r *Realm) urlArguments(url, base goja.Value) (*urlRecord, error) {
	s := r.str(url)
	if goja.IsUndefined(base) {
		return parseURL(s, nil)
	}
	b, err := parseURL(r.str(base), nil)
	if err != nil {
		return nil, err
	}
	return parseURL(s, b)
}

func (r *Realm) urlClass() *jsrt.Class {
	if c := r.classes.url; c != nil {
		return c
	}
	construct := func(c goja.ConstructorCall) any {
		r.ctorArgc(c, 1, "URL")
		u, err := r.urlArguments(c.Argument(0), c.Argument(1))
		if err != nil {
			r.TypeError("Invalid URL string.")
		}
		return &urlObject{rec: u}
	}
	r.classes.url = r.Class("URL", 1, construct, r.defineURL)
	return r.classes.url
}

func (r *Realm) defineURL(c *jsrt.Class) {
	self := func(v goja.Value) *urlObject { return jsrt.This[*urlObject](r.Runtime, v) }
	attribute := func(name string, get func(*urlRecord) string, set func(*urlParts, string)) {
		getter := func(this goja.Value) goja.Value { return r.VM.ToValue(get(self(this).record())) }
		if set == nil {
			c.Getter(name, getter)
			return
		}
		c.Accessor(name, getter, func(this, v goja.Value) {
			o, s := self(this), r.str(v)
			p := o.record().parts()
			set(p, s)
			o.replaceKeeping(p.record())
		})
	}
	c.Accessor("href", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).record().text) }, func(this, v goja.Value) {
		o := self(this)
		u, err := parseURL(r.str(v), nil)
		if err != nil {
			r.TypeError("Invalid URL string.")
		}
		o.replace(u)
	})
	attribute("origin", (*urlRecord).origin, nil)
	attribute("protocol", (*urlRecord).protocol, (*urlParts).setProtocol)
	attribute("username", (*urlRecord).username, (*urlParts).setUsername)
	attribute("password", (*urlRecord).password, (*urlParts).setPassword)
	attribute("host", (*urlRecord).hostPort, (*urlParts).setHost)
	attribute("hostname", (*urlRecord).hostname, (*urlParts).setHostname)
	attribute("port", (*urlRecord).portText, (*urlParts).setPort)
	attribute("pathname", (*urlRecord).pathname, (*urlParts).setPathname)
	c.Accessor("search", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).record().search()) }, func(this, v goja.Value) {
		o, s := self(this), r.str(v)
		p := o.record().parts()
		p.setSearch(s)
		o.replace(p.record())
	})
	c.Getter("searchParams", func(this goja.Value) goja.Value {
		o := self(this)
		if o.params == nil {
			o.params = &searchParams{list: parseForm(o.queryText()), url: o}
			o.params.self = r.searchParamsClass().New(o.params)
		}
		return o.params.self
	})
	attribute("hash", (*urlRecord).hash, (*urlParts).setHash)
	for _, name := range []string{"toString", "toJSON"} {
		c.Method(name, 0, func(f goja.FunctionCall) goja.Value { return r.VM.ToValue(self(f.This).record().text) })
	}
	c.Static("canParse", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "canParse on URL")
		_, err := r.urlArguments(f.Argument(0), f.Argument(1))
		return r.VM.ToValue(err == nil)
	})
	c.Static("parse", 1, func(f goja.FunctionCall) goja.Value {
		r.argc(f, 1, "parse on URL")
		u, err := r.urlArguments(f.Argument(0), f.Argument(1))
		if err != nil {
			return goja.Null()
		}
		return c.New(&urlObject{rec: u})
	})
}

// replaceKeeping gives the URL a new value that has the same query, so the params stay.
func (o *urlObject) replaceKeeping(u *urlRecord) { o.rec = u }

func (p *urlParts) setProtocol(s string) { p.reparse(s+":", schemeStartState) }

func (p *urlParts) setUsername(s string) {
	if !p.cannotHavePort() {
		p.username = percentEncode(s, setUserinfo)
	}
}

func (p *urlParts) setPassword(s string) {
	if !p.cannotHavePort() {
		p.password = percentEncode(s, setUserinfo)
	}
}

func (p *urlParts) setHost(s string) {
	if !p.opaque {
		p.reparse(s, hostState)
	}
}

func (p *urlParts) setHostname(s string) {
	if !p.opaque {
		p.reparse(s, hostnameState)
	}
}

func (p *urlParts) setPort(s string) {
	switch {
	case p.cannotHavePort():
	case s == "":
		p.port = -1
	default:
		p.reparse(s, portState)
	}
}

func (p *urlParts) setPathname(s string) {
	if !p.opaque {
		p.path = nil
		p.reparse(s, pathStartState)
	}
}

func (p *urlParts) setSearch(s string) {
	p.query, p.hasQuery = "", s != ""
	if s != "" {
		p.reparse(trimSign(s, '?'), queryState)
	}
}

func (p *urlParts) setHash(s string) {
	p.fragment, p.hasFragment = "", s != ""
	if s != "" {
		p.reparse(trimSign(s, '#'), fragmentState)
	}
}

func trimSign(s string, sign byte) string {
	if s[0] == sign {
		return s[1:]
	}
	return s
}
