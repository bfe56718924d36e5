package wasi

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// anchored rewrites ${x/#pattern/with} and ${x/%pattern/with}, which the interpreter does not know, with what it does:
//
//	$([[ $x == pattern* ]] && printf %s with"${x##pattern}" || printf %s "$x")
//
// It is nil for any other expansion, and for a pattern with expansions other than of variables.
func anchored(p *syntax.ParamExp) *syntax.CmdSubst {
	if p.Repl == nil || p.Repl.All || p.Repl.Orig == nil || p.Index != nil || p.Param.Value == "@" || p.Param.Value == "*" || len(p.Repl.Orig.Parts) == 0 {
		return nil
	}
	first, ok := p.Repl.Orig.Parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(first.Value, "#") && !strings.HasPrefix(first.Value, "%") {
		return nil
	}
	// The pattern is written twice, so one in which others are would double with each.
	for _, part := range p.Repl.Orig.Parts {
		if !flat(part) {
			return nil
		}
	}
	pattern := func() []syntax.WordPart {
		var parts []syntax.WordPart
		if rest := first.Value[1:]; rest != "" {
			parts = append(parts, &syntax.Lit{Value: rest})
		}
		for _, part := range p.Repl.Orig.Parts[1:] {
			parts = append(parts, plainPattern(part))
		}
		return parts
	}
	value := func(exp *syntax.Expansion) syntax.WordPart {
		return &syntax.DblQuoted{Parts: []syntax.WordPart{&syntax.ParamExp{Param: &syntax.Lit{Value: p.Param.Value}, Exp: exp}}}
	}
	var with []syntax.WordPart
	if p.Repl.With != nil {
		for _, part := range p.Repl.With.Parts {
			switch part := part.(type) {
			case *syntax.Lit:
				with = append(with, &syntax.SglQuoted{Value: unquote(part.Value)})
			case *syntax.SglQuoted, *syntax.DblQuoted:
				with = append(with, part)
			default:
				with = append(with, &syntax.DblQuoted{Parts: []syntax.WordPart{part}})
			}
		}
	}
	all := &syntax.Lit{Value: "*"}
	matches, made := append(pattern(), all), append(slices.Clip(with), value(&syntax.Expansion{Op: syntax.RemLargePrefix, Word: &syntax.Word{Parts: pattern()}}))
	if first.Value[0] == '%' {
		matches, made = append([]syntax.WordPart{all}, pattern()...), append([]syntax.WordPart{value(&syntax.Expansion{Op: syntax.RemLargeSuffix, Word: &syntax.Word{Parts: pattern()}})}, with...)
	}
	print := func(parts []syntax.WordPart) *syntax.Stmt {
		return &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{literal("printf"), literal("%s"), {Parts: parts}}}}
	}
	test := &syntax.TestClause{X: &syntax.BinaryTest{Op: syntax.TsMatch, X: &syntax.Word{Parts: []syntax.WordPart{value(nil)}}, Y: &syntax.Word{Parts: matches}}}
	return &syntax.CmdSubst{Stmts: []*syntax.Stmt{{Cmd: &syntax.IfClause{
		Cond: []*syntax.Stmt{{Cmd: test}}, Then: []*syntax.Stmt{print(made)},
		Else: &syntax.IfClause{Then: []*syntax.Stmt{print([]syntax.WordPart{value(nil)})}},
	}}}}
}

// plainPattern has a backslash in place of quotes, which the interpreter does not look at within others.
func plainPattern(part syntax.WordPart) syntax.WordPart {
	text, ok := "", true
	switch part := part.(type) {
	case *syntax.SglQuoted:
		text, ok = part.Value, !part.Dollar
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			lit, is := inner.(*syntax.Lit)
			if !is || strings.Contains(lit.Value, `\`) {
				return part
			}
			text += lit.Value
		}
	default:
		return part
	}
	if !ok {
		return part
	}
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("*?[]\\", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return &syntax.Lit{Value: b.String()}
}

// flat reports whether a part is text, or the value of a variable.
func flat(part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		return true
	case *syntax.DblQuoted:
		return !slices.ContainsFunc(part.Parts, func(p syntax.WordPart) bool {
			_, nested := p.(*syntax.DblQuoted)
			return nested || !flat(p)
		})
	case *syntax.ParamExp:
		return part.Exp == nil && part.Repl == nil && part.Slice == nil && part.Index == nil && !part.Excl
	}
	return false
}
