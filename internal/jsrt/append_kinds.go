package jsrt

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// kinds is a set of what a value seems to be. It is evidence, not proof: it
// decides what is fast, never what is right.
type kinds uint8

const (
	aString kinds = 1 << iota
	aNumber       // or a boolean: something that + does not concatenate
)

// evidence answers what expressions seem to be.
type evidence struct {
	properties map[unistring.String]kinds // by name, over the whole module
	eval       bool
}

// gather evaluates the writes of a survey. Two rounds let a value pass through another variable.
func gather(s *survey) *evidence {
	e := &evidence{properties: map[unistring.String]kinds{}, eval: s.eval}
	for range 2 {
		for _, w := range s.writes {
			k := aNumber
			if !w.number {
				k = e.of(w.value, w.in, 0)
			}
			if id, ok := w.target.(*ast.Identifier); ok {
				if v := w.in.lookup(id.Name); v != nil {
					v.kinds |= k
				}
				if !w.number && !primitive(w.value, 0) {
					w.in.mark(id.Name)
				}
			} else if name := propertyName(w.target); name != "" {
				e.properties[name] |= k
			}
		}
	}
	return e
}

// propertyName is the name that a property is written under, or "".
func propertyName(target ast.Expression) unistring.String {
	switch t := target.(type) {
	case *ast.DotExpression:
		return t.Identifier.Name
	case *ast.PrivateDotExpression:
		return "#" + t.Identifier.Name
	case *ast.StringLiteral: // a key of an object literal or class
		return t.Value
	case *ast.PrivateIdentifier:
		return "#" + t.Name
	case *ast.BracketExpression:
		if key, ok := t.Member.(*ast.StringLiteral); ok {
			return key.Value
		}
	}
	return ""
}

const maxLook = 40 // how deep an expression is looked into

// of returns what n seems to be: none for no evidence, both for either.
func (e *evidence) of(n ast.Expression, in *frame, depth int) kinds {
	if depth++; depth > maxLook {
		return 0
	}
	switch n := n.(type) {
	case *ast.StringLiteral:
		return aString
	case *ast.TemplateLiteral:
		if n.Tag == nil {
			return aString
		}
	case *ast.NumberLiteral, *ast.BooleanLiteral:
		return aNumber
	case *ast.Identifier:
		if v := in.lookup(n.Name); v != nil {
			return v.kinds
		}
		if n.Name == "NaN" || n.Name == "Infinity" {
			return aNumber
		}
	case *ast.DotExpression:
		if kind := knownProperties[n.Identifier.Name]; kind != 0 {
			return kind
		}
		return e.properties[n.Identifier.Name]
	case *ast.PrivateDotExpression, *ast.BracketExpression:
		return e.properties[propertyName(n)]
	case *ast.CallExpression:
		return e.call(n)
	case *ast.UnaryExpression:
		switch n.Operator {
		case token.TYPEOF:
			return aString
		case token.VOID:
			return 0
		}
		return aNumber
	case *ast.BinaryExpression:
		return e.binary(n, in, depth)
	case *ast.AssignExpression:
		switch n.Operator {
		case token.ASSIGN, token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			return e.of(n.Right, in, depth)
		case token.PLUS:
			return e.of(n.Right, in, depth)
		}
		return aNumber
	case *ast.ConditionalExpression:
		return e.of(n.Consequent, in, depth) | e.of(n.Alternate, in, depth)
	case *ast.SequenceExpression:
		return e.of(n.Sequence[len(n.Sequence)-1], in, depth)
	}
	return 0
}

func (e *evidence) binary(n *ast.BinaryExpression, in *frame, depth int) kinds {
	switch n.Operator {
	case token.PLUS:
		number := true
		for {
			k := e.of(n.Right, in, depth)
			if k == aString {
				return aString
			}
			number = number && k == aNumber
			left, ok := n.Left.(*ast.BinaryExpression)
			if !ok || left.Operator != token.PLUS {
				break
			}
			n = left
		}
		switch k := e.of(n.Left, in, depth); {
		case k == aString:
			return aString
		case k == aNumber && number:
			return aNumber
		}
		return 0
	case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
		return e.of(n.Left, in, depth) | e.of(n.Right, in, depth)
	}
	return aNumber // arithmetic, a comparison
}

// call knows some built-ins by name.
func (e *evidence) call(n *ast.CallExpression) kinds {
	switch c := n.Callee.(type) {
	case *ast.Identifier:
		return knownFunctions[c.Name]
	case *ast.DotExpression:
		if id, ok := c.Left.(*ast.Identifier); ok && id.Name == "Math" {
			return aNumber
		}
		return knownMethods[c.Identifier.Name]
	}
	return 0
}

var knownProperties = map[unistring.String]kinds{
	"length": aNumber, "size": aNumber, "byteLength": aNumber, "byteOffset": aNumber, "lastIndex": aNumber,
	"innerHTML": aString, "textContent": aString, "href": aString, "pathname": aString, "search": aString,
}

var knownFunctions = map[unistring.String]kinds{
	"String": aString, "escape": aString, "unescape": aString, "encodeURIComponent": aString, "encodeURI": aString,
	"decodeURIComponent": aString, "decodeURI": aString, "atob": aString, "btoa": aString,
	"Number": aNumber, "parseInt": aNumber, "parseFloat": aNumber, "BigInt": aNumber, "Boolean": aNumber,
}

var knownMethods = map[unistring.String]kinds{
	"toString": aString, "toFixed": aString, "toPrecision": aString, "toUpperCase": aString, "toLowerCase": aString,
	"trim": aString, "trimStart": aString, "trimEnd": aString, "join": aString, "padStart": aString, "padEnd": aString,
	"repeat": aString, "replace": aString, "replaceAll": aString, "charAt": aString, "substring": aString, "substr": aString,
	"toISOString": aString, "toLocaleString": aString, "normalize": aString, "fromCharCode": aString,
	"fromCodePoint": aString, "stringify": aString, "toJSON": aString, "text": 0,
	"indexOf": aNumber, "lastIndexOf": aNumber, "charCodeAt": aNumber, "codePointAt": aNumber, "getTime": aNumber,
	"now": aNumber, "findIndex": aNumber, "localeCompare": aNumber,
}

// primitive reports whether n can only be a primitive value. This is proof.
func primitive(n ast.Expression, depth int) bool {
	if depth++; depth > maxLook {
		return false
	}
	switch n := n.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.UnaryExpression:
		return true
	case *ast.TemplateLiteral:
		return n.Tag == nil
	case *ast.BinaryExpression:
		switch n.Operator {
		case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
			return primitive(n.Left, depth) && primitive(n.Right, depth)
		}
		return true
	case *ast.ConditionalExpression:
		return primitive(n.Consequent, depth) && primitive(n.Alternate, depth)
	case *ast.AssignExpression:
		switch n.Operator {
		case token.ASSIGN:
			return primitive(n.Right, depth)
		case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
			return false
		}
		return true
	}
	return false
}
