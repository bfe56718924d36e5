package webapi

import (
	"github.com/dop251/goja"

	"samkit.dev/internal/htmlrewrite"
	"samkit.dev/internal/jsrt"
)

// A unitToken is what the objects carry that handlers get. It is good while its handler runs.
type unitToken struct {
	unit any
}

func (t *unitToken) end() { t.unit = nil }

const staleToken = "This content token is no longer valid. Content tokens are only valid during the execution of the relevant content handler."

// unitOf returns the unit of a token, or throws.
func unitOf[T any](r *Realm, this goja.Value) T {
	t := jsrt.This[*unitToken](r.Runtime, this)
	u, ok := t.unit.(T)
	if !ok {
		r.TypeError(staleToken)
	}
	return u
}

func (r *Realm) unitObject(unit any) (*unitToken, goja.Value) {
	t := &unitToken{unit}
	var c *jsrt.Class
	switch unit.(type) {
	case *htmlrewrite.Element:
		c = r.Class("Element", 0, nil, r.defineElement)
	case *htmlrewrite.Text:
		c = r.Class("Text", 0, nil, r.defineText)
	case *htmlrewrite.Comment:
		c = r.Class("Comment", 0, nil, r.defineComment)
	case *htmlrewrite.EndTag:
		c = r.Class("EndTag", 0, nil, r.defineEndTag)
	case *htmlrewrite.Doctype:
		c = r.Class("Doctype", 0, nil, r.defineDoctype)
	default:
		c = r.Class("DocumentEnd", 0, nil, func(c *jsrt.Class) {
			r.contentMethod(c, "append", false, func(v goja.Value) inserter { return unitOf[*htmlrewrite.End](r, v).Append })
		})
	}
	return t, c.New(t)
}

// An inserter is a method that takes content.
type inserter func(htmlrewrite.Content)

// contentMethod defines a method that takes content and {html}, and returns its object.
// Content may come in a stream where streams is true.
func (r *Realm) contentMethod(c *jsrt.Class, name string, streams bool, of func(this goja.Value) inserter) {
	c.Method(name, 1, func(f goja.FunctionCall) goja.Value {
		insert := of(f.This)
		r.parameter(f, 0, name, c.Name, "string or ReadableStream or Response")
		insert(r.content(f.Argument(0), f.Argument(1), streams))
		return f.This
	})
}

func (r *Realm) content(v, options goja.Value, streams bool) htmlrewrite.Content {
	content := htmlrewrite.Content{}
	if html := jsrt.Option(options, "html"); html != nil {
		content.HTML = html.ToBoolean()
	}
	var b *body
	if p, ok := jsrt.Is[*response](v); ok {
		b = &p.body
	} else if s, ok := streamOf(v); ok {
		b = &body{stream: s}
	}
	if b == nil {
		content.Text = r.str(v)
		return content
	}
	if !streams {
		r.TypeError("Replacing content in HTML comments using a ReadableStream or Response object is not implemented. You must provide a string.")
	}
	if !b.null {
		content.Stream = r.bodySource(b)
	}
	return content
}

func (r *Realm) defineElement(c *jsrt.Class) {
	this := func(v goja.Value) *htmlrewrite.Element { return unitOf[*htmlrewrite.Element](r, v) }
	name := func(f goja.FunctionCall, op string) string {
		r.parameter(f, 0, op, "Element", "string")
		return r.str(f.Argument(0))
	}
	c.Accessor("tagName", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Name()) }, func(v, to goja.Value) {
		e := this(v)
		if err := e.SetName(r.str(to)); err != nil {
			r.parserError(err)
		}
	})
	c.Getter("attributes", func(v goja.Value) goja.Value { return r.attributes(v) })
	c.Getter("removed", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Removed()) })
	c.Getter("namespaceURI", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Namespace().URI()) })
	c.Method("getAttribute", 1, func(f goja.FunctionCall) goja.Value {
		e := this(f.This)
		if value, ok := e.Attribute(name(f, "getAttribute")); ok {
			return r.VM.ToValue(value)
		}
		return goja.Null()
	})
	c.Method("hasAttribute", 1, func(f goja.FunctionCall) goja.Value {
		e := this(f.This)
		_, ok := e.Attribute(name(f, "hasAttribute"))
		return r.VM.ToValue(ok)
	})
	c.Method("setAttribute", 2, func(f goja.FunctionCall) goja.Value {
		e := this(f.This)
		key := name(f, "setAttribute")
		r.parameter(f, 1, "setAttribute", "Element", "string")
		if err := e.SetAttribute(key, r.str(f.Argument(1))); err != nil {
			r.parserError(err)
		}
		return f.This
	})
	c.Method("removeAttribute", 1, func(f goja.FunctionCall) goja.Value {
		e := this(f.This)
		e.RemoveAttribute(name(f, "removeAttribute"))
		return f.This
	})
	r.contentMethod(c, "before", true, func(v goja.Value) inserter { return this(v).Before })
	r.contentMethod(c, "after", true, func(v goja.Value) inserter { return this(v).After })
	r.contentMethod(c, "prepend", true, func(v goja.Value) inserter { return this(v).Prepend })
	r.contentMethod(c, "append", true, func(v goja.Value) inserter { return this(v).Append })
	r.contentMethod(c, "replace", true, func(v goja.Value) inserter { return this(v).Replace })
	r.contentMethod(c, "setInnerContent", true, func(v goja.Value) inserter { return this(v).SetInnerContent })
	c.Method("remove", 0, func(f goja.FunctionCall) goja.Value { this(f.This).Remove(); return f.This })
	c.Method("removeAndKeepContent", 0, func(f goja.FunctionCall) goja.Value { this(f.This).RemoveAndKeepContent(); return f.This })
	c.Method("onEndTag", 1, func(f goja.FunctionCall) goja.Value {
		e := this(f.This)
		fn, ok := goja.AssertFunction(f.Argument(0))
		if !ok {
			r.badParameter(0, "onEndTag", "Element", "function")
		}
		if err := e.OnEndTag(fn); err != nil {
			r.parserError(err)
		}
		return goja.Undefined()
	})
}

// attributes returns an iterator of [name, value].
func (r *Realm) attributes(element goja.Value) goja.Value {
	e := unitOf[*htmlrewrite.Element](r, element)
	at, edits := 0, e.Edits()
	return r.Iterator("AttributesIterator", func() (goja.Value, bool) {
		unitOf[*htmlrewrite.Element](r, element)
		if e.Edits() != edits {
			panic(r.NewError("Error", "The attributes of this element have been modified during iteration. You must create a new iterator after modifying attributes."))
		}
		list := e.Attributes()
		if at >= len(list) {
			return nil, false
		}
		a := list[at]
		at++
		return r.VM.NewArray(a.Name, a.Value), true
	})
}

// A mutable is what texts, comments and end tags have in common.
type mutable interface {
	Before(htmlrewrite.Content)
	After(htmlrewrite.Content)
	Replace(htmlrewrite.Content)
	Remove()
	Removed() bool
}

func defineMutable[T mutable](r *Realm, c *jsrt.Class, streams bool) {
	this := func(v goja.Value) T { return unitOf[T](r, v) }
	r.contentMethod(c, "before", streams, func(v goja.Value) inserter { return this(v).Before })
	r.contentMethod(c, "after", streams, func(v goja.Value) inserter { return this(v).After })
	c.Method("remove", 0, func(f goja.FunctionCall) goja.Value { this(f.This).Remove(); return f.This })
}

func defineReplaceable[T mutable](r *Realm, c *jsrt.Class, streams bool) {
	defineMutable[T](r, c, streams)
	this := func(v goja.Value) T { return unitOf[T](r, v) }
	r.contentMethod(c, "replace", streams, func(v goja.Value) inserter { return this(v).Replace })
	c.Getter("removed", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Removed()) })
}

func (r *Realm) defineText(c *jsrt.Class) {
	defineReplaceable[*htmlrewrite.Text](r, c, true)
	this := func(v goja.Value) *htmlrewrite.Text { return unitOf[*htmlrewrite.Text](r, v) }
	c.Getter("text", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Text) })
	c.Getter("lastInTextNode", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Last) })
}

func (r *Realm) defineComment(c *jsrt.Class) {
	defineReplaceable[*htmlrewrite.Comment](r, c, false)
	this := func(v goja.Value) *htmlrewrite.Comment { return unitOf[*htmlrewrite.Comment](r, v) }
	c.Accessor("text", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Text()) }, func(v, to goja.Value) {
		comment := this(v)
		if err := comment.SetText(r.str(to)); err != nil {
			r.parserError(err)
		}
	})
}

func (r *Realm) defineEndTag(c *jsrt.Class) {
	defineMutable[*htmlrewrite.EndTag](r, c, true)
	this := func(v goja.Value) *htmlrewrite.EndTag { return unitOf[*htmlrewrite.EndTag](r, v) }
	c.Accessor("name", func(v goja.Value) goja.Value { return r.VM.ToValue(this(v).Name()) }, func(v, to goja.Value) {
		tag := this(v)
		tag.SetName(r.str(to))
	})
}

func (r *Realm) defineDoctype(c *jsrt.Class) {
	part := func(name string, of func(*htmlrewrite.Doctype) *string) {
		c.Getter(name, func(v goja.Value) goja.Value {
			if s := of(unitOf[*htmlrewrite.Doctype](r, v)); s != nil {
				return r.VM.ToValue(*s)
			}
			return goja.Null()
		})
	}
	part("name", func(d *htmlrewrite.Doctype) *string { return d.Name })
	part("publicId", func(d *htmlrewrite.Doctype) *string { return d.Public })
	part("systemId", func(d *htmlrewrite.Doctype) *string { return d.System })
}
