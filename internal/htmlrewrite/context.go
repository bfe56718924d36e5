package htmlrewrite

import "fmt"

// A Namespace is that of an element.
type Namespace uint8

// The namespaces of elements.
const (
	HTML Namespace = iota
	SVG
	MathML
)

// URI returns the name of the namespace.
func (n Namespace) URI() string {
	return [...]string{"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}[n]
}

// A context knows as much of a tree builder as the lexer needs: which namespace is current and
// how the text of an element is read. As lol-html does, it refuses markup for which that is
// not enough, since what is taken for text in one place and for markup in another is how
// scripts are smuggled in.
type context struct {
	spaces []Namespace // outer ones first; the last is current; none means HTML
	guard  guardState
	depth  int // of templates within a select
}

func (c *context) current() Namespace {
	if len(c.spaces) == 0 {
		return HTML
	}
	return c.spaces[len(c.spaces)-1]
}

func (c *context) enter(n Namespace) error {
	if len(c.spaces) >= maxDepth {
		return ErrMemory
	}
	c.spaces = append(c.spaces, n)
	return nil
}

func (c *context) leave() {
	if len(c.spaces) > 0 {
		c.spaces = c.spaces[:len(c.spaces)-1]
	}
}

// outer is the namespace around the current one.
func (c *context) outer() Namespace {
	if len(c.spaces) < 2 {
		return HTML
	}
	return c.spaces[len(c.spaces)-2]
}

// textMode is how the text of an HTML element is read.
func textMode(name string) mode {
	switch name {
	case "textarea", "title", "style", "iframe", "xmp", "noembed", "noframes", "noscript":
		return modeRaw
	case "script":
		return modeScript
	case "plaintext":
		return modePlain
	}
	return modeData
}

// start takes a start tag and returns how the text behind it is read.
func (c *context) start(name string, t *token) (mode, error) {
	if err := c.check(name); err != nil {
		return modeData, err
	}
	switch now := c.current(); {
	case name == "svg":
		return modeData, c.enter(SVG)
	case name == "math":
		return modeData, c.enter(MathML)
	case now == HTML:
		return textMode(name), nil
	case leavesForeign[name]:
		c.leave()
	case now == SVG && htmlInSVG(name) || now == MathML && textInMathML(name):
		if !t.selfClosing {
			return modeData, c.enter(HTML)
		}
	case name == "font":
		for _, a := range t.attrs {
			if n := a.name.of(t.raw); equalFold(n, "color") || equalFold(n, "size") || equalFold(n, "face") {
				c.leave()
				break
			}
		}
	case name == "annotation-xml" && now == MathML && !t.selfClosing:
		for _, a := range t.attrs {
			if v := a.value.of(t.raw); equalFold(a.name.of(t.raw), "encoding") && (equalFold(v, "text/html") || equalFold(v, "application/xhtml+xml")) {
				return modeData, c.enter(HTML)
			}
		}
	}
	return modeData, nil
}

// end takes an end tag.
func (c *context) end(name string) {
	switch {
	case c.guard == inSelect && name == "select":
		c.guard = unguarded
	case c.guard == inTemplate && name == "template":
		if c.depth--; c.depth == 0 {
			c.guard = inSelect
		}
	}
	switch c.current() {
	case SVG:
		if name == "svg" {
			c.leave()
		}
	case MathML:
		if name == "math" {
			c.leave()
		}
	default:
		switch outer := c.outer(); {
		case outer == SVG && htmlInSVG(name), outer == MathML && (textInMathML(name) || name == "annotation-xml"):
			c.leave()
		}
	}
}

type guardState uint8

const (
	unguarded guardState = iota
	inSelect
	inTemplate // in a select
	inFrameset // or after one
)

// An AmbiguityError reports markup that browsers read as text or as markup depending on more
// than can be known without a tree.
type AmbiguityError struct{ Tag string }

func (e *AmbiguityError) Error() string {
	return fmt.Sprintf("The parser has encountered a text content tag (`<%s>`) in the context where it is ambiguous whether this tag should be ignored or not. And, thus, it is unclear whether consequent content should be parsed as raw text or HTML markup.", e.Tag)
}

// check refuses elements of text where they may be ignored.
func (c *context) check(name string) error {
	text := textMode(name) != modeData
	switch c.guard {
	case unguarded:
		switch name {
		case "select":
			c.guard = inSelect
		case "frameset":
			c.guard = inFrameset
		}
		return nil
	case inSelect:
		switch name {
		case "select", "textarea", "input", "keygen": // end the select
			c.guard = unguarded
			return nil
		case "template":
			c.guard, c.depth = inTemplate, 1
			return nil
		}
		text = text && name != "script"
	case inTemplate:
		if name == "template" {
			c.depth++
		}
	case inFrameset:
		text = text && name != "noframes"
	}
	if text {
		return &AmbiguityError{name}
	}
	return nil
}

func htmlInSVG(name string) bool { return name == "desc" || name == "title" || name == "foreignobject" }

func textInMathML(name string) bool {
	switch name {
	case "mi", "mo", "mn", "ms", "mtext":
		return true
	}
	return false
}

// leavesForeign are the HTML elements that end SVG and MathML. It is never written.
var leavesForeign = set("b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4",
	"h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small",
	"span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var")

// voids are the elements without content. It is never written.
var voids = set("area", "base", "basefont", "bgsound", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
