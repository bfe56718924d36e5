package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/htmlrewrite"
	"samkit.dev/internal/jsrt"
)

// rewriterGlobals is HTMLRewriter, of Cloudflare Workers
// (https://developers.cloudflare.com/workers/runtime-apis/html-rewriter/).
var rewriterGlobals = []global{class("HTMLRewriter", (*Realm).htmlRewriterClass)}

// An htmlRewriter is what an HTMLRewriter carries: what it was told to call. It can transform
// any number of responses.
type htmlRewriter struct {
	rules    []htmlrewrite.Rule
	docs     []htmlrewrite.DocumentRule
	rulesOn  []contentHandlers
	handlers []contentHandlers // of docs
}

// contentHandlers are the functions of one object that was given to on or onDocument.
type contentHandlers struct {
	this                                  *goja.Object
	element, comments, text, doctype, end goja.Callable
}

// of returns the handlers of a rule, as a Call numbers it.
func (h *htmlRewriter) of(rule int) *contentHandlers {
	if rule < len(h.rulesOn) {
		return &h.rulesOn[rule]
	}
	return &h.handlers[rule-len(h.rulesOn)]
}

// maxRules is how many handlers a rewriter takes.
const maxRules = 10_000

// parserError throws what the rewriter has to say in the form that workerd gives it.
func (r *Realm) parserError(err error) { r.TypeError("Parser error: %s", err.Error()) }

func (r *Realm) htmlRewriterClass() *jsrt.Class {
	return r.Class("HTMLRewriter", 0, func(goja.ConstructorCall) any { return &htmlRewriter{} }, func(c *jsrt.Class) {
		this := func(f goja.FunctionCall) *htmlRewriter { return jsrt.This[*htmlRewriter](r.Runtime, f.This) }
		c.Method("on", 2, func(f goja.FunctionCall) goja.Value {
			h := this(f)
			r.parameter(f, 0, "on", "HTMLRewriter", "string")
			sel, err := htmlrewrite.ParseSelector(r.str(f.Argument(0)))
			on := r.readHandlers(f, 1, "on", "ElementContentHandlers")
			const name = "ElementContentHandlers"
			on.element, on.comments, on.text = r.contentHandler(on.this, "element", name), r.contentHandler(on.this, "comments", name), r.contentHandler(on.this, "text", name)
			if err != nil {
				r.parserError(err)
			}
			r.checkRules(h)
			h.rules = append(h.rules, htmlrewrite.Rule{Selector: sel, Element: on.element != nil, Comments: on.comments != nil, Text: on.text != nil})
			h.rulesOn = append(h.rulesOn, on)
			return f.This
		})
		c.Method("onDocument", 1, func(f goja.FunctionCall) goja.Value {
			h := this(f)
			on := r.readHandlers(f, 0, "onDocument", "DocumentContentHandlers")
			const name = "DocumentContentHandlers"
			on.doctype, on.comments, on.text, on.end = r.contentHandler(on.this, "doctype", name), r.contentHandler(on.this, "comments", name), r.contentHandler(on.this, "text", name), r.contentHandler(on.this, "end", name)
			r.checkRules(h)
			h.docs = append(h.docs, htmlrewrite.DocumentRule{Doctype: on.doctype != nil, Comments: on.comments != nil, Text: on.text != nil, End: on.end != nil})
			h.handlers = append(h.handlers, on)
			return f.This
		})
		c.Method("transform", 1, func(f goja.FunctionCall) goja.Value {
			h := this(f)
			p, ok := jsrt.Is[*response](f.Argument(0))
			if !ok {
				r.badParameter(0, "transform", "HTMLRewriter", "Response")
			}
			return r.transform(h, p)
		})
	})
}

func (r *Realm) checkRules(h *htmlRewriter) {
	if len(h.rules)+len(h.docs) >= maxRules {
		r.RangeError("an HTMLRewriter takes no more than %d handlers", maxRules)
	}
}

// parameter throws, in workerd's words, unless a call has a parameter.
func (r *Realm) parameter(f goja.FunctionCall, i int, op, class, typ string) {
	if i >= len(f.Arguments) {
		r.badParameter(i, op, class, typ)
	}
}

func (r *Realm) badParameter(i int, op, class, typ string) {
	r.TypeError("Failed to execute '%s' on '%s': parameter %d is not of type '%s'.", op, class, i+1, typ)
}

func (r *Realm) readHandlers(f goja.FunctionCall, i int, op, typ string) contentHandlers {
	o, ok := f.Argument(i).(*goja.Object)
	if !ok {
		r.badParameter(i, op, "HTMLRewriter", typ)
	}
	return contentHandlers{this: o}
}

func (r *Realm) contentHandler(o *goja.Object, name, typ string) goja.Callable {
	v := o.Get(name)
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		r.TypeError("Incorrect type for the '%s' field on '%s': the provided value is not of type 'function'.", name, typ)
	}
	return fn
}

// transform returns a response whose body is that of p, rewritten as somebody reads it.
func (r *Realm) transform(h *htmlRewriter, p *response) goja.Value {
	twin := *p
	twin.headers = p.headers.clone()
	twin.body = body{null: true}
	if !p.body.null {
		rules := *h // later handlers are for later responses
		rw := htmlrewrite.New(rules.rules, rules.docs)
		if r.MaxText > 0 {
			rw.MaxContent = int(r.MaxText)
		}
		twin.body = body{source: &rewriteSource{
			r: r, rules: &rules, in: r.bodySource(&p.body), context: r.Context,
			rw: rw,
		}}
	}
	return r.responseClass().New(&twin)
}

// bodySource uses a body up and returns its contents.
func (r *Realm) bodySource(b *body) Source {
	r.use(b)
	if data, ok := b.immediate(); ok {
		return &bytesSource{data: data}
	}
	if b.source != nil {
		return b.source
	}
	return r.sourceOf(b.stream)
}
