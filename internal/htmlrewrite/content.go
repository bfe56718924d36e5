package htmlrewrite

import "strings"

// A Content is what a handler inserts: text, or something that the caller of
// [Rewriter.Output] knows how to read.
type Content struct {
	Text   string
	HTML   bool // as it is; else < > & are escaped
	Stream any  // in the place of Text, if not nil
}

// Escape escapes text for HTML.
func Escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// A Segment is a part of the output: bytes, or a Content with a Stream.
type Segment struct {
	Bytes  []byte
	Stream *Content
}

// mutations are what handlers did to a token.
type mutations struct {
	before, after, replacement []Content
	removed                    bool
}

// Before inserts content in front of what is there, behind what Before inserted earlier.
func (m *mutations) Before(c Content) { m.before = append(m.before, c) }

// After inserts content behind what is there, in front of what After inserted earlier.
func (m *mutations) After(c Content) { m.after = prepend(m.after, c) }

// Replace puts content in its place.
func (m *mutations) Replace(c Content) {
	m.removed = true
	m.replacement = append(m.replacement[:0], c)
}

// Remove removes it.
func (m *mutations) Remove() { m.removed = true }

// Removed reports whether it has been removed or replaced.
func (m *mutations) Removed() bool { return m.removed }

func prepend(list []Content, c Content) []Content {
	list = append(list, Content{})
	copy(list[1:], list)
	list[0] = c
	return list
}

// output collects segments.
type output struct {
	segments []Segment
	bytes    []byte
	last     int // how long bytes was when it was last taken
	room     int // bytes of contents that may still be inserted here; negative if one was left out
}

func (o *output) write(b []byte) {
	if o.bytes == nil {
		o.bytes = make([]byte, 0, max(len(b), o.last+o.last/8, 512))
	}
	o.bytes = append(o.bytes, b...)
}

func (o *output) content(list []Content) {
	for i := range list {
		c := &list[i]
		if o.room -= len(c.Text); o.room < 0 {
			return
		}
		switch {
		case c.Stream != nil:
			o.flush()
			o.segments = append(o.segments, Segment{Stream: c})
		case c.HTML:
			o.bytes = append(o.bytes, c.Text...)
		default:
			o.bytes = append(o.bytes, Escape(c.Text)...)
		}
	}
}

func (o *output) flush() {
	if len(o.bytes) > 0 {
		o.segments = append(o.segments, Segment{Bytes: o.bytes})
		o.bytes, o.last = nil, min(len(o.bytes), 1<<17)
	}
}

// token writes a token with its mutations; own writes the token itself.
func (o *output) token(m *mutations, own func()) {
	o.content(m.before)
	if m.removed {
		o.content(m.replacement)
	} else {
		own()
	}
	o.content(m.after)
}
