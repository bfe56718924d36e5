package xan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Expressions are those of xan's language, moonblade: columns by their names, numbers, strings, regular expressions
// between slashes, operators, calls, methods, indexes, lists, lambdas, and | which gives a value to what follows as _.

// maxNesting is how deeply an expression may be nested.
const maxNesting = 200

// A node is an expression.
type node struct {
	kind nodeKind
	text string  // of a name, a string, an operator or a call
	num  float64 // of a number
	args []*node
	from int // where it begins and ends in the source
	to   int
}

type nodeKind uint8

const (
	aNumber nodeKind = iota
	aString
	aPattern // its text is a regular expression
	aBool    // its num is 0 or 1
	aNull
	aColumn // or a parameter of a lambda
	aHole   // _
	aCall
	aList
	aLambda // its text is the parameters, its only argument the body
	aPipe
)

// A named expression is one with the column that it makes.
type named struct {
	*node
	name string
}

type parser struct {
	src    string
	at     int
	tok    string // the operator, name or literal that is next; "" at the end
	kind   rune   // of tok: 'n' name, '0' number, '"' string, '/' pattern, 'o' operator
	begin  int    // of tok
	prior  int    // the end of the token before
	value  bool   // the token before was a value, so that / divides
	nested int
}

type syntaxError struct{ text string }

func (p *parser) fail(format string, args ...any) { panic(syntaxError{fmt.Sprintf(format, args...)}) }

// parseNamed parses expressions with names: "a + b as c, upper(d)".
func parseNamed(src string) (list []named, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			e, ok := fault.(syntaxError)
			if !ok {
				panic(fault)
			}
			err = fmt.Errorf("in the expression %q: %s", src, e.text)
		}
	}()
	p := &parser{src: src}
	p.next()
	for {
		n := p.expr(0)
		e := named{n, strings.TrimSpace(src[n.from:n.to])}
		if p.isName("as") {
			p.next()
			if p.kind != 'n' && p.kind != '"' {
				p.fail("a name has to follow as")
			}
			e.name = p.tok
			p.next()
		}
		list = append(list, e)
		if p.kind == 'o' && p.tok == "," {
			p.next()
			if p.tok == "" && p.kind == 0 {
				return list, nil
			}
			continue
		}
		if p.kind != 0 {
			p.fail("unexpected %q", p.tok)
		}
		return list, nil
	}
}

func parseOne(src string) (*node, error) {
	list, err := parseNamed(src)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("%q is more than one expression", src)
	}
	return list[0].node, nil
}

var operators = []string{"=>", "**", "++", "//", "==", "!=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!", "(", ")", "[", "]", ",", ":", ".", "|", "="}

// next reads a token.
func (p *parser) next() {
	p.prior = p.at
	p.value = p.kind == 'n' && !isWordOperator(p.tok) || p.kind == '0' || p.kind == '"' || p.kind == 'o' && (p.tok == ")" || p.tok == "]")
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
	p.begin, p.tok, p.kind = p.at, "", 0
	if p.at == len(p.src) {
		return
	}
	c, size := utf8.DecodeRuneInString(p.src[p.at:])
	rest := p.src[p.at:]
	switch {
	case c == '"' || c == '\'' || c == '`':
		p.quoted(byte(c))
	case c == '/' && !p.value:
		p.pattern()
	case c >= '0' && c <= '9':
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '_' || rest[n] == '.' && n+1 < len(rest) && rest[n+1] >= '0' && rest[n+1] <= '9' || (rest[n] == 'e' || rest[n] == 'E') && n+1 < len(rest) && (rest[n+1] >= '0' && rest[n+1] <= '9' || (rest[n+1] == '-' || rest[n+1] == '+') && n+2 < len(rest) && rest[n+2] >= '0' && rest[n+2] <= '9')) {
			if rest[n] == 'e' || rest[n] == 'E' {
				n++
			}
			n++
		}
		p.tok, p.kind = rest[:n], '0'
		p.at += n
	case c == '_' || unicode.IsLetter(c):
		n := size
		for n < len(rest) {
			c, size := utf8.DecodeRuneInString(rest[n:])
			if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				break
			}
			n += size
		}
		p.tok, p.kind = rest[:n], 'n'
		p.at += n
		if p.at < len(p.src) && p.src[p.at] == '?' {
			p.at++
		}
	default:
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				p.tok, p.kind = op, 'o'
				p.at += len(op)
				return
			}
		}
		p.fail("unexpected %q", string(c))
	}
}

func (p *parser) quoted(mark byte) {
	var b strings.Builder
	for i := p.at + 1; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == mark:
			p.tok, p.kind, p.at = b.String(), '"', i+1
			if mark == '`' {
				p.kind = 'n'
			}
			return
		case c == '\\' && i+1 < len(p.src) && mark != '`':
			i++
			if at := strings.IndexByte("ntr0", p.src[i]); at >= 0 {
				b.WriteByte("\n\t\r\x00"[at])
			} else {
				b.WriteByte(p.src[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	p.fail("a %c has no end", mark)
}

func (p *parser) pattern() {
	for i := p.at + 1; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '/':
			p.tok, p.kind, p.at = strings.ReplaceAll(p.src[p.at+1:i], `\/`, "/"), '/', i+1
			if p.at < len(p.src) && p.src[p.at] == 'i' {
				p.tok = "(?i)" + p.tok
				p.at++
			}
			return
		}
	}
	p.fail("a / has no end")
}

func (p *parser) isName(name string) bool { return p.kind == 'n' && p.tok == name }
func (p *parser) isOp(op string) bool     { return p.kind == 'o' && p.tok == op }

func (p *parser) expect(op string) {
	if !p.isOp(op) {
		p.fail("%q is missing", op)
	}
	p.next()
}

func isWordOperator(s string) bool { return wordOperators[s] != 0 }

var wordOperators = map[string]int{"or": 2, "and": 3, "eq": 4, "ne": 4, "lt": 5, "le": 5, "gt": 5, "ge": 5, "in": 5, "not": 5}

var precedence = map[string]int{
	"|": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "+": 6, "-": 6, "++": 6, "*": 7, "/": 7, "//": 7, "%": 7, "**": 8,
}

// calls is the functions that operators are.
var calls = map[string]string{
	"||": "or", "&&": "and", "+": "add", "-": "sub", "++": "concat", "*": "mul", "/": "div", "//": "idiv", "%": "mod", "**": "pow",
}

const unary = 9

// expr parses operators that bind at least as tightly as least.
func (p *parser) expr(least int) *node {
	if p.nested++; p.nested > maxNesting {
		p.fail("nested too deeply")
	}
	defer func() { p.nested-- }()
	from := p.begin
	left := p.operand()
	for {
		op, prec := p.tok, 0
		switch p.kind {
		case 'o':
			prec = precedence[op]
		case 'n':
			prec = wordOperators[op]
		}
		if prec == 0 || prec < least {
			return left
		}
		p.next()
		if op == "not" {
			if !p.isName("in") {
				p.fail("not stands before in, or a value as !")
			}
			p.next()
		}
		right := p.expr(prec + 1)
		n := &node{kind: aCall, text: op, args: []*node{left, right}, from: from, to: p.prior}
		switch op {
		case "|":
			n.kind = aPipe
			if right.kind == aColumn { // a | upper
				n.args[1] = &node{kind: aCall, text: right.text, args: []*node{{kind: aHole}}}
			}
		case "in", "not":
			n.text, n.args = "contains", []*node{right, left}
			if op == "not" {
				n = &node{kind: aCall, text: "not", args: []*node{n}, from: from, to: p.prior}
			}
		default:
			if name, ok := calls[op]; ok {
				n.text = name
			}
		}
		left = n
	}
}

// operand parses a value with what is behind it: .name, .method(), [index].
func (p *parser) operand() *node {
	n := p.primary()
	for p.kind == 'o' {
		from := n.from
		switch p.tok {
		case ".":
			p.next()
			name, kind := p.tok, p.kind
			if kind != 'n' && kind != '"' && kind != '0' {
				p.fail("a name has to follow the dot")
			}
			p.next()
			if kind == 'n' && p.isOp("(") {
				n = &node{kind: aCall, text: strings.ToLower(name), args: append([]*node{n}, p.arguments(")")...)}
			} else if i, err := strconv.Atoi(name); kind == '0' && err == nil {
				n = &node{kind: aCall, text: "get", args: []*node{n, {kind: aNumber, num: float64(i)}}}
			} else {
				n = &node{kind: aCall, text: "get", args: []*node{n, {kind: aString, text: name}}}
			}
		case "[":
			p.next()
			n = p.index(n)
		default:
			return n
		}
		n.from, n.to = from, p.prior
	}
	return n
}

// index parses [i], [i:j], [:j] and [i:].
func (p *parser) index(n *node) *node {
	null := &node{kind: aNull}
	start, end, slice := null, null, false
	if !p.isOp(":") {
		start = p.expr(0)
	}
	if p.isOp(":") {
		slice = true
		p.next()
		if !p.isOp("]") {
			end = p.expr(0)
		}
	}
	p.expect("]")
	if slice {
		return &node{kind: aCall, text: "slice", args: []*node{n, start, end}}
	}
	return &node{kind: aCall, text: "get", args: []*node{n, start}}
}

// arguments parses what is between brackets, the first of which is next.
func (p *parser) arguments(end string) (args []*node) {
	p.next()
	for !p.isOp(end) {
		args = append(args, p.expr(0))
		if !p.isOp(",") {
			break
		}
		p.next()
	}
	p.expect(end)
	return args
}

func (p *parser) primary() (n *node) {
	from, tok, kind := p.begin, p.tok, p.kind
	defer func() {
		if n != nil {
			n.from, n.to = from, p.prior
		}
	}()
	switch kind {
	case '0':
		f, err := strconv.ParseFloat(strings.ReplaceAll(tok, "_", ""), 64)
		if err != nil {
			p.fail("%s is no number", tok)
		}
		p.next()
		return &node{kind: aNumber, num: f}
	case '"':
		p.next()
		return &node{kind: aString, text: tok}
	case '/':
		p.next()
		return &node{kind: aPattern, text: tok}
	case 'n':
		literal := p.src[from] != '`'
		p.next()
		switch {
		case !literal:
		case tok == "true":
			return &node{kind: aBool, num: 1}
		case tok == "false":
			return &node{kind: aBool}
		case tok == "null":
			return &node{kind: aNull}
		case tok == "_":
			return &node{kind: aHole}
		case tok == "not" && !p.isOp("("):
			return &node{kind: aCall, text: "not", args: []*node{p.expr(unary)}}
		case p.isOp("("):
			return &node{kind: aCall, text: strings.ToLower(tok), args: p.arguments(")")}
		case p.isOp("=>"):
			p.next()
			return &node{kind: aLambda, text: tok, args: []*node{p.expr(0)}}
		}
		return &node{kind: aColumn, text: tok}
	case 'o':
		switch tok {
		case "(":
			p.next()
			n := p.expr(0)
			p.expect(")")
			if p.isOp("=>") && n.kind == aColumn { // (x) => …
				p.next()
				return &node{kind: aLambda, text: n.text, args: []*node{p.expr(0)}}
			}
			inner := *n
			return &inner
		case "[":
			return &node{kind: aList, args: p.arguments("]")}
		case "-":
			p.next()
			return &node{kind: aCall, text: "neg", args: []*node{p.expr(unary)}}
		case "!":
			p.next()
			return &node{kind: aCall, text: "not", args: []*node{p.expr(unary)}}
		}
	}
	if kind == 0 {
		p.fail("it ends too early")
	}
	p.fail("unexpected %q", tok)
	return nil
}
