package htmlrewrite

import "strings"

// An EndTag is the end tag at which an element ends; it may be that of an element around it.
type EndTag struct {
	mutations
	name    string
	changed bool
}

// Name returns the tag name in lower case.
func (t *EndTag) Name() string { return asciiLower(t.name) }

// SetName changes the name.
func (t *EndTag) SetName(name string) { t.name, t.changed = name, true }

// A Text is a piece of a text node, as the source has it, references included.
type Text struct {
	mutations
	Text string
	Last bool // it is the last piece, and empty
	raw  []byte
}

// A Comment is a comment.
type Comment struct {
	mutations
	text    string
	changed bool
}

// Text returns what is in the comment.
func (c *Comment) Text() string { return c.text }

// SetText changes what is in the comment.
func (c *Comment) SetText(s string) error {
	if strings.Contains(s, "-->") {
		return nameError("Comment text shouldn't contain comment closing sequence (`-->`).")
	}
	c.text, c.changed = s, true
	return nil
}

// A Doctype is a document type declaration. What it lacks is nil.
type Doctype struct {
	Name, Public, System *string
}

// An End is the end of the document.
type End struct{ content []Content }

// Append inserts content at the end of the document.
func (e *End) Append(c Content) { e.content = append(e.content, c) }

// parseDoctype reads what stands behind "<!doctype".
func parseDoctype(b []byte) *Doctype {
	s := strings.TrimLeft(text(b), " \n\t\f\r")
	d := &Doctype{}
	if s == "" {
		return d
	}
	n := strings.IndexAny(s, " \n\t\f\r")
	if n < 0 {
		n = len(s)
	}
	name := asciiLower(s[:n])
	d.Name = &name
	s = strings.TrimLeft(s[n:], " \n\t\f\r")
	quoted := func() *string {
		s = strings.TrimLeft(s, " \n\t\f\r")
		if s == "" || s[0] != '"' && s[0] != '\'' {
			return nil
		}
		v, rest, _ := strings.Cut(s[1:], s[:1])
		s = rest
		return &v
	}
	if len(s) < 6 {
		return d
	}
	switch keyword := asciiLower(s[:6]); keyword {
	case "public", "system":
		s = s[6:]
		if keyword == "public" {
			if d.Public = quoted(); d.Public == nil {
				return d
			}
		}
		d.System = quoted()
	}
	return d
}
