package htmlrewrite

import (
	"strings"
	"unicode/utf8"
)

// An Attribute of an element; its value is as the source has it, references included.
type Attribute struct {
	Name  string // in lower case
	Value string
	raw   []byte // as in the source; nil if it was set
	own   string // the name as in the source
}

// An Element is a start tag, and what is to be done at the end tag that belongs to it.
type Element struct {
	mutations
	namespace  Namespace
	name       string // as it is written
	tok        *token
	attrs      []Attribute
	read       bool // attrs are filled
	changed    bool // the tag has to be written anew
	hasContent bool
	empty      bool // the content is removed
	edits      int
	end        endWork
}

// endWork is what an element leaves to do at its end tag.
type endWork struct {
	name    string // a new one, or ""
	changed bool   // mutations counts
	mutations
	handler any
}

func (w *endWork) any() bool { return w.name != "" || w.changed || w.handler != nil }

// Name returns the tag name in lower case.
func (e *Element) Name() string { return asciiLower(e.name) }

// SetName changes the name in both tags.
func (e *Element) SetName(name string) error {
	switch {
	case name == "":
		return nameError("Tag name can't be empty.")
	case !isLetter(name[0]):
		return nameError("The first character of the tag name should be an ASCII alphabetical character.")
	}
	if i := strings.IndexAny(name, " \n\r\t\f/>"); i >= 0 {
		return nameError("`%c` character is forbidden in the tag name", name[i])
	}
	e.name, e.changed = name, true
	if e.hasContent {
		e.end.name = name
	}
	return nil
}

// Namespace returns the element's namespace.
func (e *Element) Namespace() Namespace { return e.namespace }

// Attributes returns the attributes in order; the result must not be changed.
func (e *Element) Attributes() []Attribute {
	if !e.read {
		e.read = true
		for i := range e.tok.attrs {
			a := &e.tok.attrs[i]
			own := text(a.name.of(e.tok.raw))
			e.attrs = append(e.attrs, Attribute{Name: asciiLower(own), Value: text(a.value.of(e.tok.raw)), raw: e.tok.raw[a.name.from:a.end], own: own})
		}
	}
	return e.attrs
}

// Edits returns a number that changes whenever the attributes do.
func (e *Element) Edits() int { return e.edits }

func (e *Element) find(name string) int {
	name = asciiLower(name)
	for i, a := range e.Attributes() {
		if a.Name == name {
			return i
		}
	}
	return -1
}

// Attribute returns the value of an attribute.
func (e *Element) Attribute(name string) (value string, ok bool) {
	if i := e.find(name); i >= 0 {
		return e.attrs[i].Value, true
	}
	return "", false
}

// SetAttribute sets an attribute.
func (e *Element) SetAttribute(name, value string) error {
	if i := e.find(name); i >= 0 {
		e.attrs[i].Value, e.attrs[i].raw = value, nil
	} else {
		if name == "" {
			return nameError("Attribute name can't be empty.")
		}
		if i := strings.IndexAny(name, " \n\r\t\f/>="); i >= 0 {
			return nameError("`%c` character is forbidden in the attribute name", name[i])
		}
		name = asciiLower(name)
		e.attrs = append(e.attrs, Attribute{Name: name, Value: value, own: name})
	}
	e.changed = true
	e.edits++
	return nil
}

// RemoveAttribute removes an attribute, if it is there.
func (e *Element) RemoveAttribute(name string) {
	if i := e.find(name); i >= 0 {
		e.attrs = append(e.attrs[:i], e.attrs[i+1:]...)
		e.changed = true
		e.edits++
	}
}

func (e *Element) atEnd() *mutations {
	e.end.changed = true
	return &e.end.mutations
}

// After inserts content behind the element.
func (e *Element) After(c Content) {
	if e.hasContent {
		e.atEnd().After(c)
	} else {
		e.mutations.After(c)
	}
}

// Prepend inserts content at the beginning of the element's own.
func (e *Element) Prepend(c Content) {
	if e.hasContent {
		e.mutations.After(c)
	}
}

// Append inserts content at the end of the element's own.
func (e *Element) Append(c Content) {
	if e.hasContent {
		e.atEnd().Before(c)
	}
}

func (e *Element) removeContent() {
	e.mutations.after = nil
	e.atEnd().before = nil
	e.empty = true
}

// SetInnerContent replaces the element's content.
func (e *Element) SetInnerContent(c Content) {
	if e.hasContent {
		e.removeContent()
		e.mutations.After(c)
	}
}

// Replace puts content in the place of the element and its content.
func (e *Element) Replace(c Content) {
	e.mutations.Replace(c)
	if e.hasContent {
		e.removeContent()
		e.atEnd().Remove()
	}
}

// Remove removes the element and its content.
func (e *Element) Remove() {
	e.mutations.Remove()
	if e.hasContent {
		e.removeContent()
		e.atEnd().Remove()
	}
}

// RemoveAndKeepContent removes the two tags.
func (e *Element) RemoveAndKeepContent() {
	e.mutations.Remove()
	if e.hasContent {
		e.atEnd().Remove()
	}
}

// OnEndTag has handler called, in the place of any given earlier, with the [EndTag].
func (e *Element) OnEndTag(handler any) error {
	if !e.hasContent {
		return nameError("No end tag.")
	}
	e.end.handler = handler
	return nil
}

// write writes the start tag as it is now.
func (e *Element) write(o *output) {
	if !e.changed {
		o.write(e.tok.raw)
		return
	}
	o.bytes = append(append(o.bytes, '<'), e.name...)
	for _, a := range e.Attributes() {
		o.bytes = append(o.bytes, ' ')
		if a.raw != nil {
			o.bytes = append(o.bytes, a.raw...)
			continue
		}
		o.bytes = append(append(o.bytes, a.own...), `="`...)
		o.bytes = append(append(o.bytes, strings.ReplaceAll(a.Value, `"`, "&quot;")...), '"')
	}
	if e.tok.selfClosing && !e.hasContent {
		if len(e.attrs) > 0 { // an unquoted value would take the slash in
			o.bytes = append(o.bytes, ' ')
		}
		o.bytes = append(o.bytes, '/')
	}
	o.bytes = append(o.bytes, '>')
}

// text returns bytes of the source as a string, decoded as the Encoding standard does: each
// longest beginning of a sequence that breaks off is one U+FFFD.
func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		c, size := utf8.DecodeRune(b)
		if c == utf8.RuneError && size == 1 {
			for size < len(b) && size < utf8.UTFMax && !utf8.FullRune(b[:size+1]) {
				size++
			}
		}
		out = utf8.AppendRune(out, c)
		b = b[size:]
	}
	return string(out)
}

func asciiLower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}
