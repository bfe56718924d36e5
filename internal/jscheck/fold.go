package jscheck

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// The folder finds out which strings an expression may be, as far as that can be told without running
// the script. It need not find all: only constructor and __proto__ matter, so what is longer
// or takes long to tell is left to the run time.
type folder struct{ steps int }

const (
	longestText = len("constructor")
	maxTexts    = 16      // that an expression may be
	maxDepth    = 40      // of an expression
	maxSteps    = 200_000 // for a script
)

// texts returns strings that e may be, converted as for a property's key. There may be more.
func (f *folder) texts(e ast.Expression, s *scope, depth int) []string {
	if f.steps++; f.steps > maxSteps || depth > maxDepth {
		return nil
	}
	depth++
	switch n := e.(type) {
	case *ast.StringLiteral:
		return short(n.Value.String())
	case *ast.TemplateLiteral:
		return f.template(n, s, depth)
	case *ast.BinaryExpression:
		switch n.Operator {
		case token.PLUS:
			return joined(f.texts(n.Left, s, depth), f.texts(n.Right, s, depth))
		case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			return either(f.texts(n.Left, s, depth), f.texts(n.Right, s, depth))
		}
	case *ast.ConditionalExpression:
		return either(f.texts(n.Consequent, s, depth), f.texts(n.Alternate, s, depth))
	case *ast.SequenceExpression:
		return f.texts(n.Sequence[len(n.Sequence)-1], s, depth)
	case *ast.AssignExpression:
		if n.Operator != token.PLUS {
			return f.texts(n.Right, s, depth)
		}
		return joined(f.texts(n.Left, s, depth), f.texts(n.Right, s, depth))
	case *ast.AwaitExpression:
		return f.texts(n.Argument, s, depth)
	case *ast.OptionalChain:
		return f.texts(n.Expression, s, depth)
	case *ast.Optional:
		return f.texts(n.Expression, s, depth)
	case *ast.ArrayLiteral: // ["constructor"] is "constructor" as a key
		switch len(n.Value) {
		case 0:
			return []string{""}
		case 1:
			return f.texts(n.Value[0], s, depth)
		}
	case *ast.CallExpression:
		return f.call(n, s, depth)
	case *ast.Identifier:
		return f.binding(s.find(n.Name), depth)
	case *ast.DotExpression, *ast.BracketExpression:
		var list []string
		for _, v := range f.members(e, s, depth) {
			list = either(list, f.texts(v.e, v.in, depth))
		}
		return list
	}
	return nil
}

func (f *folder) binding(b *binding, depth int) []string {
	if b == nil || b.folded || b.folding {
		if b == nil {
			return nil
		}
		return b.texts
	}
	b.folding = true
	for _, v := range b.values {
		b.texts = either(b.texts, f.texts(v.e, v.in, depth))
	}
	b.folding, b.folded = false, true
	return b.texts
}

func (f *folder) template(n *ast.TemplateLiteral, s *scope, depth int) []string {
	if n.Tag != nil {
		return nil
	}
	list := []string{""}
	for i, part := range n.Elements {
		list = joined(list, short(part.Parsed.String()))
		if i < len(n.Expressions) && len(list) > 0 {
			list = joined(list, f.texts(n.Expressions[i], s, depth))
		}
	}
	return list
}

// call folds "con".concat("structor").
func (f *folder) call(n *ast.CallExpression, s *scope, depth int) []string {
	callee, ok := n.Callee.(*ast.DotExpression)
	if !ok || callee.Identifier.Name != "concat" {
		return nil
	}
	list := f.texts(callee.Left, s, depth)
	for _, a := range n.ArgumentList {
		list = joined(list, f.texts(a, s, depth))
	}
	return list
}

// members returns what a member of an object or array that is written out may be.
func (f *folder) members(e ast.Expression, s *scope, depth int) []value {
	var left ast.Expression
	var key string
	index := -1
	switch n := e.(type) {
	case *ast.DotExpression:
		left, key = n.Left, n.Identifier.Name.String()
	case *ast.BracketExpression:
		left = n.Left
		if number, ok := n.Member.(*ast.NumberLiteral); ok {
			if i, ok := number.Value.(int64); ok {
				index = int(i)
			}
		} else if list := f.texts(n.Member, s, depth); len(list) == 1 {
			key = list[0]
		} else if name, ok := n.Member.(*ast.StringLiteral); ok { // longer than what texts keeps
			key = name.Value.String()
		} else {
			return nil
		}
	}
	var found []value
	for _, v := range f.literals(value{left, s}, depth) {
		switch o := v.e.(type) {
		case *ast.ArrayLiteral:
			if index >= 0 && index < len(o.Value) {
				found = append(found, value{o.Value[index], v.in})
			}
		case *ast.ObjectLiteral:
			for _, p := range o.Value {
				switch p := p.(type) {
				case *ast.PropertyShort:
					if p.Name.Name.String() == key {
						found = append(found, value{&p.Name, v.in})
					}
				case *ast.PropertyKeyed:
					if name, ok := p.Key.(*ast.StringLiteral); ok && name.Value.String() == key && p.Kind == ast.PropertyKindValue {
						found = append(found, value{p.Value, v.in})
					}
				}
			}
		}
		if len(found) > maxTexts {
			break
		}
	}
	return found
}

// literals returns the objects and arrays that v may be.
func (f *folder) literals(v value, depth int) []value {
	if f.steps++; f.steps > maxSteps || depth > maxDepth {
		return nil
	}
	depth++
	switch n := v.e.(type) {
	case *ast.ArrayLiteral, *ast.ObjectLiteral:
		return []value{v}
	case *ast.Optional:
		return f.literals(value{n.Expression, v.in}, depth)
	case *ast.Identifier:
		b := v.in.find(n.Name)
		if b == nil {
			return nil
		}
		var found []value
		for _, given := range b.values {
			if found = append(found, f.literals(given, depth)...); len(found) > maxTexts {
				break
			}
		}
		return found
	case *ast.DotExpression, *ast.BracketExpression:
		var found []value
		for _, m := range f.members(n, v.in, depth) {
			if found = append(found, f.literals(m, depth)...); len(found) > maxTexts {
				break
			}
		}
		return found
	}
	return nil
}

// short returns s if it can be a part of a name that matters.
func short(s string) []string {
	if len(s) > longestText {
		return nil
	}
	return []string{s}
}

// joined returns the strings made of one of left and one of right.
func joined(left, right []string) []string {
	var list []string
	for _, l := range left {
		for _, r := range right {
			if len(l)+len(r) <= longestText && len(list) < maxTexts {
				list = append(list, l+r)
			}
		}
	}
	return list
}

// either returns the strings of both.
func either(a, b []string) []string {
	for _, s := range b {
		if len(a) < maxTexts && !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}
