package webapi

import (
	"errors"
	"strconv"
	"strings"
)

type partKind uint8

const (
	partText partKind = iota
	partRegExp
	partSegment // up to the next delimiter
	partWild    // anything
)

// A patternPart is a piece of a parsed pattern: fixed text, or a group with text around it.
type patternPart struct {
	kind           partKind
	value          string // the text, or the regular expression
	modifier       string // "", "?", "*" or "+"
	name           string
	prefix, suffix string
}

// repeats reports whether the part may occur more than once.
func (p *patternPart) repeats() bool { return p.modifier == "*" || p.modifier == "+" }

// patternOptions are the "options" of a component.
type patternOptions struct {
	delimiter, prefix string
	ignoreCase        bool
}

// segment is the regular expression of a segment wildcard.
func (o *patternOptions) segment() string { return "[^" + escapeRegExp(o.delimiter) + "]+?" }

const wildRegExp = ".*"

// An encoder is an "encoding callback": it checks fixed text and puts it in its canonical form.
type encoder func(string) (string, error)

var (
	errGroup     = errors.New("a group is not closed, or something stands where it must not")
	errDuplicate = errors.New("it has a name twice")
)

// A patternParser is the standard's "pattern parser".
type patternParser struct {
	tokens  []patternToken
	index   int
	encode  encoder
	opts    *patternOptions
	segment string
	parts   []patternPart
	names   map[string]bool
	pending []byte // fixed text that may go on
	number  int    // of the next group without a name
}

// parsePattern is "parse a pattern string".
func parsePattern(in string, opts *patternOptions, encode encoder) ([]patternPart, error) {
	tokens, err := tokenizePattern(in, false)
	if err != nil {
		return nil, err
	}
	p := patternParser{tokens: tokens, encode: encode, opts: opts, segment: opts.segment(), names: map[string]bool{}}
	for p.index < len(tokens) {
		if err := p.step(); err != nil {
			return nil, err
		}
	}
	return p.parts, nil
}

// take consumes the next token if it is of a kind, or returns nil.
func (p *patternParser) take(kind lexKind) *patternToken {
	if p.index >= len(p.tokens) || p.tokens[p.index].kind != kind {
		return nil
	}
	p.index++
	return &p.tokens[p.index-1]
}

func (p *patternParser) takeModifier() *patternToken {
	if t := p.take(lexModifier); t != nil {
		return t
	}
	return p.take(lexAsterisk)
}

func (p *patternParser) takeRegExp(name *patternToken) *patternToken {
	t := p.take(lexRegExp)
	if t == nil && name == nil {
		t = p.take(lexAsterisk)
	}
	return t
}

// takeText is "consume text".
func (p *patternParser) takeText() string {
	var b strings.Builder
	for {
		t := p.take(lexChar)
		if t == nil {
			t = p.take(lexEscaped)
		}
		if t == nil {
			return b.String()
		}
		b.WriteString(t.value)
	}
}

func (p *patternParser) step() error {
	char := p.take(lexChar)
	name := p.take(lexName)
	if expr := p.takeRegExp(name); name != nil || expr != nil {
		prefix := ""
		if char != nil {
			prefix = char.value
		}
		if prefix != "" && prefix != p.opts.prefix {
			p.pending = append(p.pending, prefix...)
			prefix = ""
		}
		if err := p.flush(); err != nil {
			return err
		}
		return p.add(prefix, name, expr, "", p.takeModifier())
	}
	if char == nil {
		char = p.take(lexEscaped)
	}
	if char != nil {
		p.pending = append(p.pending, char.value...)
		return nil
	}
	if p.take(lexOpen) != nil {
		prefix := p.takeText()
		name := p.take(lexName)
		expr := p.takeRegExp(name)
		suffix := p.takeText()
		if p.take(lexClose) == nil {
			return errGroup
		}
		return p.add(prefix, name, expr, suffix, p.takeModifier())
	}
	if err := p.flush(); err != nil {
		return err
	}
	if p.take(lexEnd) == nil {
		return errGroup
	}
	return nil
}

// flush is "maybe add a part from the pending fixed value".
func (p *patternParser) flush() error {
	if len(p.pending) == 0 {
		return nil
	}
	text, err := p.encode(string(p.pending))
	if err != nil {
		return err
	}
	p.pending = p.pending[:0]
	p.parts = append(p.parts, patternPart{kind: partText, value: text})
	return nil
}

// add is "add a part".
func (p *patternParser) add(prefix string, name, expr *patternToken, suffix string, modifier *patternToken) error {
	part := patternPart{kind: partRegExp}
	if modifier != nil {
		part.modifier = modifier.value
	}
	if name == nil && expr == nil && part.modifier == "" {
		p.pending = append(p.pending, prefix...)
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	var err error
	if name == nil && expr == nil {
		if prefix == "" {
			return nil
		}
		part.kind = partText
		part.value, err = p.encode(prefix)
		p.parts = append(p.parts, part)
		return err
	}
	switch {
	case expr == nil:
		part.kind = partSegment
	case expr.kind == lexAsterisk || expr.value == wildRegExp:
		part.kind = partWild
	case expr.value == p.segment:
		part.kind = partSegment
	default:
		part.value = expr.value
	}
	if name != nil {
		part.name = name.value
	} else {
		part.name = strconv.Itoa(p.number)
		p.number++
	}
	if p.names[part.name] {
		return errDuplicate
	}
	p.names[part.name] = true
	if part.prefix, err = p.encode(prefix); err != nil {
		return err
	}
	part.suffix, err = p.encode(suffix)
	p.parts = append(p.parts, part)
	return err
}
