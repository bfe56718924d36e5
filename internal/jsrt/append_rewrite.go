package jsrt

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// Names that no source text can spell, so that nothing shadows or reads them.
const (
	appendName unistring.String = "%append" // the wrapper's third parameter
	baseName   unistring.String = "%base"   // holds an object between two uses
	keyName    unistring.String = "%key"    // holds a property key between two uses
)

// rewriteAppends turns the statements of module that append to strings into calls of
// its third parameter, an [Appender]:
//
//	s += x         s = append(s, x)
//	a.b.s += x     (base = a.b).s = append(base.s, x)
//	s = s + x + y  s = append(append(s, x), y)
//	s = `${s}x`    s = append(s, `x`)
//
// Both sides are evaluated as often and in the same order as before: base is read
// right after it was written. The tree is changed and not the text, so
// that positions and Function.prototype.toString stay as they are. A
// call costs more than goja's addition of numbers: worthwhile decides from what both sides seem to be.
func rewriteAppends(module *ast.FunctionLiteral, s *survey, worthwhile appendPolicy) {
	r := &rewriter{evidence: gather(s), worthwhile: worthwhile}
	for _, site := range s.sites {
		if site.call != nil {
			r.reduce(site)
		} else {
			r.assignment(site)
		}
	}
	if r.done {
		for _, name := range []unistring.String{appendName, baseName, keyName} {
			module.ParameterList.List = append(module.ParameterList.List, &ast.Binding{Target: &ast.Identifier{Name: name, Idx: module.Idx0()}})
		}
	}
}

// An appendPolicy decides from what target and value seem to be whether to
// rewrite target += value. Indexed is for targets such as list[i].
type appendPolicy func(target, value kinds, indexed bool) bool

// likelyAppend is the policy of [Compile].
func likelyAppend(target, value kinds, indexed bool) bool {
	switch {
	case value == aString:
		return true
	case indexed: // most are sums
		return false
	case target == aString:
		return true
	case target == aNumber || value == aNumber:
		return false
	}
	return true // unknown: a needless call costs 0.1 µs, a needless copy has no bound
}

type rewriter struct {
	*evidence
	worthwhile appendPolicy
	done       bool // something was rewritten
}

func (r *rewriter) assignment(s site) {
	n := s.assign
	if n.Operator == token.ASSIGN {
		r.selfAssignment(s)
		return
	}
	target, value := r.of(n.Left, s.in, 0), r.of(n.Right, s.in, 0)
	_, indexed := n.Left.(*ast.BracketExpression)
	if !r.worthwhile(target, value, indexed) {
		return
	}
	read := n.Left
	switch left := n.Left.(type) {
	case *ast.Identifier:
	case *ast.DotExpression:
		if write, again := r.once(left.Left, s.in); write != again {
			n.Left = &ast.DotExpression{Left: write, Identifier: left.Identifier}
			read = &ast.DotExpression{Left: again, Identifier: left.Identifier}
		}
	case *ast.PrivateDotExpression:
		if write, again := r.once(left.Left, s.in); write != again {
			n.Left = &ast.PrivateDotExpression{Left: write, Identifier: left.Identifier}
			read = &ast.PrivateDotExpression{Left: again, Identifier: left.Identifier}
		}
	case *ast.BracketExpression:
		if !r.primitive(left.Member, s.in) {
			return
		}
		write, again := r.once(left.Left, s.in)
		key, keyAgain := r.onceKey(left.Member)
		n.Left = &ast.BracketExpression{Left: write, Member: key, LeftBracket: left.LeftBracket, RightBracket: left.RightBracket}
		read = &ast.BracketExpression{Left: again, Member: keyAgain, LeftBracket: left.LeftBracket, RightBracket: left.RightBracket}
	default:
		return
	}
	n.Operator = token.ASSIGN
	n.Right = r.append(read, n.Right, n.Left.Idx0())
}

// once returns expressions for two successive uses of an object: the same one
// if reading it twice cannot be noticed, otherwise one that keeps it and one that reads what was kept.
func (r *rewriter) once(base ast.Expression, in *frame) (first, second ast.Expression) {
	switch b := base.(type) {
	case *ast.ThisExpression, *ast.SuperExpression:
		return base, base
	case *ast.Identifier:
		if in.lookup(b.Name) != nil {
			return base, base // a global could be a getter
		}
	}
	at := base.Idx0()
	return &ast.AssignExpression{Operator: token.ASSIGN, Left: &ast.Identifier{Name: baseName, Idx: at}, Right: base},
		&ast.Identifier{Name: baseName, Idx: at}
}

// primitive reports whether e is certainly neither an object, whose conversion to a
// string could be noticed, nor a symbol.
func (r *rewriter) primitive(e ast.Expression, in *frame) bool {
	if id, ok := e.(*ast.Identifier); ok {
		return !r.eval && in.primitive(id.Name)
	}
	return primitive(e, 0)
}

func (r *rewriter) onceKey(key ast.Expression) (first, second ast.Expression) {
	switch key.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral, *ast.Identifier:
		return key, key
	}
	at := key.Idx0()
	return &ast.AssignExpression{Operator: token.ASSIGN, Left: &ast.Identifier{Name: keyName, Idx: at}, Right: key},
		&ast.Identifier{Name: keyName, Idx: at}
}

// append returns the call append(s, x).
func (r *rewriter) append(s, x ast.Expression, at file.Idx) *ast.CallExpression {
	r.done = true
	return &ast.CallExpression{
		Callee:           &ast.Identifier{Name: appendName, Idx: at},
		ArgumentList:     []ast.Expression{s, x},
		LeftParenthesis:  at,
		RightParenthesis: at,
	}
}

// selfAssignment rewrites s = s + x + y and s = `${s}…`.
func (r *rewriter) selfAssignment(s site) {
	if template, ok := s.assign.Right.(*ast.TemplateLiteral); ok {
		r.selfTemplate(s, template)
		return
	}
	sum, ok := s.assign.Right.(*ast.BinaryExpression)
	if !ok || sum.Operator != token.PLUS {
		return
	}
	if first := firstTerm(sum); sameTarget(first, s.assign.Left) && r.worthwhile(r.of(first, s.in, 0), r.terms(sum, s.in), false) {
		s.assign.Right = r.appendTerms(sum)
	}
}

// selfTemplate rewrites s = `${s}…`. A template converts s before it evaluates
// what follows; that cannot be noticed if s is no object.
func (r *rewriter) selfTemplate(s site, t *ast.TemplateLiteral) {
	if t.Tag != nil || len(t.Expressions) == 0 || t.Elements[0].Parsed != "" {
		return
	}
	first, ok := t.Expressions[0].(*ast.Identifier)
	if !ok || !sameTarget(first, s.assign.Left) || !r.primitive(first, s.in) {
		return
	}
	rest := &ast.TemplateLiteral{OpenQuote: t.OpenQuote, CloseQuote: t.CloseQuote, Elements: t.Elements[1:], Expressions: t.Expressions[1:]}
	s.assign.Right = r.append(first, rest, first.Idx)
}

// reduce rewrites list.reduce((s, x) => s + x, "").
func (r *rewriter) reduce(s site) {
	var params *ast.ParameterList
	var result *ast.Expression
	switch f := s.call.ArgumentList[0].(type) {
	case *ast.ArrowFunctionLiteral:
		params = f.ParameterList
		switch body := f.Body.(type) {
		case *ast.ExpressionBody:
			result = &body.Expression
		case *ast.BlockStatement:
			result = lastReturn(body)
		}
	case *ast.FunctionLiteral:
		params, result = f.ParameterList, lastReturn(f.Body)
	}
	if result == nil || len(params.List) == 0 {
		return
	}
	sum, ok := (*result).(*ast.BinaryExpression)
	if !ok || sum.Operator != token.PLUS || !sameTarget(firstTerm(sum), params.List[0].Target) {
		return
	}
	value := r.terms(sum, s.in)
	if value != aString && len(s.call.ArgumentList) > 1 {
		value = r.of(s.call.ArgumentList[1], s.in, 0)
	}
	if r.worthwhile(0, value, true) {
		*result = r.appendTerms(sum)
	}
}

func lastReturn(body *ast.BlockStatement) *ast.Expression {
	if len(body.List) == 0 {
		return nil
	}
	if ret, ok := body.List[len(body.List)-1].(*ast.ReturnStatement); ok && ret.Argument != nil {
		return &ret.Argument
	}
	return nil
}

// firstTerm is a in a + b + c.
func firstTerm(sum *ast.BinaryExpression) ast.Expression {
	for {
		left, ok := sum.Left.(*ast.BinaryExpression)
		if !ok || left.Operator != token.PLUS {
			return sum.Left
		}
		sum = left
	}
}

// terms is the kind of b + c in a + b + c.
func (r *rewriter) terms(sum *ast.BinaryExpression, in *frame) kinds {
	number := true
	for {
		k := r.of(sum.Right, in, 0)
		if k == aString {
			return aString
		}
		number = number && k == aNumber
		left, ok := sum.Left.(*ast.BinaryExpression)
		if !ok || left.Operator != token.PLUS {
			break
		}
		sum = left
	}
	if number {
		return aNumber
	}
	return 0
}

// appendTerms turns a + b + c into append(append(a, b), c).
func (r *rewriter) appendTerms(sum *ast.BinaryExpression) ast.Expression {
	at := firstTerm(sum).Idx0()
	var spine []*ast.BinaryExpression
	for b, ok := sum, true; ok && b.Operator == token.PLUS; b, ok = b.Left.(*ast.BinaryExpression) {
		spine = append(spine, b)
	}
	result := spine[len(spine)-1].Left
	for i := len(spine) - 1; i >= 0; i-- {
		result = r.append(result, spine[i].Right, at)
	}
	return result
}

// sameTarget reports whether a and b are the same name or the same path of names.
func sameTarget(a, b ast.Expression) bool {
	switch a := a.(type) {
	case *ast.Identifier:
		b, ok := b.(*ast.Identifier)
		return ok && a.Name == b.Name
	case *ast.ThisExpression:
		_, ok := b.(*ast.ThisExpression)
		return ok
	case *ast.DotExpression:
		b, ok := b.(*ast.DotExpression)
		return ok && a.Identifier.Name == b.Identifier.Name && sameTarget(a.Left, b.Left)
	case *ast.PrivateDotExpression:
		b, ok := b.(*ast.PrivateDotExpression)
		return ok && a.Identifier.Name == b.Identifier.Name && sameTarget(a.Left, b.Left)
	}
	return false
}
