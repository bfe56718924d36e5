package webapi

import (
	"strings"
	"unicode/utf8"
)

// escapeRegExp is "escape a regexp string".
func escapeRegExp(s string) string { return escapeBefore(s, `.+*?^${}()[]|/\`) }

// escapePattern is "escape a pattern string".
func escapePattern(s string) string { return escapeBefore(s, `+*?:{}()\`) }

func escapeBefore(s, chars string) string {
	if !strings.ContainsAny(s, chars) {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(chars, s[i]) >= 0 {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return string(b)
}

// generateRegExp is "generate a regular expression and name list", but for the names.
func generateRegExp(parts []patternPart, opts *patternOptions) string {
	var b strings.Builder
	write := func(s ...string) {
		for _, t := range s {
			b.WriteString(t)
		}
	}
	write("^")
	for i := range parts {
		p := &parts[i]
		expr := p.value
		switch p.kind {
		case partText:
			if p.modifier == "" {
				write(escapeRegExp(p.value))
			} else {
				write("(?:", escapeRegExp(p.value), ")", p.modifier)
			}
			continue
		case partSegment:
			expr = opts.segment()
		case partWild:
			expr = wildRegExp
		}
		prefix, suffix := escapeRegExp(p.prefix), escapeRegExp(p.suffix)
		switch {
		case prefix == "" && suffix == "" && !p.repeats():
			write("(", expr, ")", p.modifier)
		case prefix == "" && suffix == "":
			write("((?:", expr, ")", p.modifier, ")")
		case !p.repeats():
			write("(?:", prefix, "(", expr, ")", suffix, ")", p.modifier)
		default:
			write("(?:", prefix, "((?:", expr, ")(?:", suffix, prefix, "(?:", expr, "))*)", suffix, ")")
			if p.modifier == "*" {
				write("?")
			}
		}
	}
	write("$")
	return b.String()
}

// generatePattern is "generate a pattern string".
func generatePattern(parts []patternPart, opts *patternOptions) string {
	var b strings.Builder
	for i := range parts {
		var before, after *patternPart
		if i > 0 {
			before = &parts[i-1]
		}
		if i+1 < len(parts) {
			after = &parts[i+1]
		}
		parts[i].write(&b, before, after, opts)
	}
	return b.String()
}

// numbered reports whether the group has a name that it was given by its place.
func (p *patternPart) numbered() bool { return p.name != "" && isDigit(p.name[0]) }

func (p *patternPart) write(b *strings.Builder, before, after *patternPart, opts *patternOptions) {
	if p.kind == partText {
		if p.modifier == "" {
			b.WriteString(escapePattern(p.value))
		} else {
			b.WriteString("{" + escapePattern(p.value) + "}" + p.modifier)
		}
		return
	}
	named := !p.numbered()
	grouping := p.suffix != "" || p.prefix != "" && p.prefix != opts.prefix
	if !grouping && named && p.kind == partSegment && p.modifier == "" && after != nil && after.prefix == "" && after.suffix == "" {
		if after.kind == partText {
			grouping = startsWithNameRune(after.value)
		} else {
			grouping = after.numbered()
		}
	}
	if !grouping && p.prefix == "" && before != nil && before.kind == partText && opts.prefix != "" && strings.HasSuffix(before.value, opts.prefix) {
		grouping = true
	}
	if grouping {
		b.WriteByte('{')
	}
	b.WriteString(escapePattern(p.prefix))
	if named {
		b.WriteString(":" + p.name)
	}
	switch {
	case p.kind == partRegExp:
		b.WriteString("(" + p.value + ")")
	case p.kind == partSegment && !named:
		b.WriteString("(" + opts.segment() + ")")
	case p.kind == partWild:
		if !named && (before == nil || before.kind == partText || before.modifier != "" || grouping || p.prefix != "") {
			b.WriteByte('*')
		} else {
			b.WriteString("(" + wildRegExp + ")")
		}
	}
	if p.kind == partSegment && named && startsWithNameRune(p.suffix) {
		b.WriteByte('\\')
	}
	b.WriteString(escapePattern(p.suffix))
	if grouping {
		b.WriteByte('}')
	}
	b.WriteString(p.modifier)
}

func startsWithNameRune(s string) bool {
	if s == "" {
		return false
	}
	c, _ := utf8.DecodeRuneInString(s)
	return nameRune(c, false)
}
