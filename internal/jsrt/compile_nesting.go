package jsrt

import "bytes"

// goja parses and compiles by recursion, and a Go stack overflow ends the
// process: no recover helps. So code is measured before it is parsed. A bracket
// costs goja some 3 KB of stack and a link of a chain (a?b:, +a, .a, else if,
// a=>) up to 4 KB; some chains also take quadratic time. With these limits a
// compilation stays below 40 MB of stack. Large bundles reach 40 brackets
// and chains of 330.
//
// The scan tells a division from a regular expression by what stands before the
// slash, which is exact but for an operand that ends in the brace of a function.
// Who hides brackets behind that can still overflow the stack of the process that
// compiles.
const (
	maxBrackets  = 1000 // open brackets at one place
	maxChain     = 8000 // lexemes since the last statement or comma, summed over the open brackets
	maxGroups    = 400  // nested groups of a regular expression
	maxArrowNest = 8    // arrow functions inside parameters of arrow functions: goja parses each twice
)

// A bracket is an open bracket of the code being scanned, or the code itself.
type bracket struct {
	kind    bracketKind
	head    bool // parentheses of if, while, for or with: a regular expression may follow
	run     int  // lexemes since the last boundary of statements or elements
	elses   int  // else since the last statement that is not one
	ternary int  // conditional operators that wait for their colon
	classes int  // class keywords that wait for their body
	arrows  int  // deepest nesting of parenthesised arrow parameters inside
	member  bool // in a class body: a member may start here
}

type bracketKind uint8

const (
	inBlock bracketKind = iota
	inObject
	inClass
	inParens
	inSquare
	inTemplate
)

// A scan walks over code with a lexer and keeps the open brackets.
type scan struct {
	lex    lexer
	open   []bracket // never empty: the first is the code itself
	chain  int       // sum of run and of elses over open
	prev   lexeme
	before lexeme // the lexeme before prev

	closed   bracket // what prev closed, if it did
	operand  bool    // prev ends an operand: a slash would divide
	boundary bool    // prev may have ended a statement: the next lexeme tells
	field    lexeme  // a name that is a field if = or } comes next
	edits    []edit
	stray    int // where a bracket is closed that was not open, or -1
}

// scanCode measures code and finds the class fields whose names goja's parser
// takes for modifiers; its edits quote them.
func scanCode(code []byte) (*scan, error) {
	s := &scan{open: make([]bracket, 1, 64), stray: -1}
	s.lex = lexer{code: code,
		regexpNext:   func() bool { return !s.operand },
		templateNext: func() bool { return s.top().kind == inTemplate },
	}
	for {
		t := s.lex.next()
		if t.kind == lexNone {
			return s, nil
		}
		if text := s.take(t); text != "" {
			line, col := lineColumn(code, t.start)
			return nil, &SyntaxError{Line: line, Column: col, Text: text}
		}
	}
}

func (s *scan) top() *bracket { return &s.open[len(s.open)-1] }

func (s *scan) text(t lexeme) []byte { return s.lex.code[t.start:t.end] }

// is reports whether t is the punctuator p.
func (s *scan) is(t lexeme, p string) bool {
	return t.kind == lexPunct && string(s.text(t)) == p
}

// take accounts for t and returns what is wrong, or "".
func (s *scan) take(t lexeme) string {
	s.settleField(t)
	if s.closed.kind == inParens && s.is(s.prev, ")") && s.is(t, "=>") {
		top := s.top()
		if top.arrows = max(top.arrows, s.closed.arrows+1); top.arrows > maxArrowNest {
			return "arrow functions are nested too deeply in parameters"
		}
	}
	s.settleBoundary(t)
	top := s.top()
	top.run++
	s.chain++
	s.closed = bracket{}
	text := ""
	switch t.kind {
	case lexWord:
		s.takeWord(t)
	case lexPrivate:
		s.noteField(t)
		s.operand = true
	case lexNumber, lexString:
		s.operand = true
	case lexTemplate:
		text = s.takeTemplate(t)
	case lexRegexp:
		s.operand = true
		if groupDepth(s.text(t)) > maxGroups {
			text = "regular expression is nested too deeply"
		}
		s.constructRegexp(t)
	case lexPunct:
		text = s.takePunct(t)
	}
	if text == "" && s.chain > maxChain {
		text = "expression or statement is nested too deeply"
	}
	s.before, s.prev = s.prev, t
	return text
}

// reset starts a new statement or element.
func (s *scan) reset() {
	top := s.top()
	s.chain -= top.run
	top.run, top.ternary = 0, 0
}

// settleBoundary decides, now that t is known, whether a statement ended before it.
func (s *scan) settleBoundary(t lexeme) {
	if t.kind == lexWord && string(s.text(t)) == "else" {
		s.top().elses += 8
		s.chain += 8
		s.boundary = false
		return
	}
	ended := s.boundary
	if ended && s.is(s.prev, "}") {
		ended = t.kind == lexWord || t.kind == lexPrivate
	}
	if !ended && t.nl && s.operand && (t.kind == lexWord || t.kind == lexPrivate) && !s.is(s.prev, ")") {
		ended = true // a semicolon is inserted between two operands
	}
	if ended && t.kind == lexWord {
		switch string(s.text(t)) {
		case "in", "of", "instanceof":
			ended = false
		}
	}
	s.boundary = false
	if ended {
		s.reset()
		s.chain -= s.top().elses
		s.top().elses = 0
		if s.top().kind == inClass {
			s.top().member = true
		}
	}
}

func (s *scan) takeWord(t lexeme) {
	word := string(s.text(t))
	afterDot := s.is(s.prev, ".") || s.is(s.prev, "?.")
	s.operand = true
	if afterDot {
		return
	}
	s.noteField(t)
	switch word {
	case "class":
		s.top().classes++
	case "case", "default":
		if s.top().kind == inBlock {
			s.reset()
		}
	}
	if operatorWord(word) {
		s.operand = false
	}
}

// operatorWord reports whether an operand or statement follows word.
func operatorWord(word string) bool {
	switch word {
	case "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else",
		"yield", "await", "extends", "default", "try", "finally", "async", "let", "const", "var", "static", "class", "function":
		return true
	}
	return false
}

func (s *scan) takeTemplate(t lexeme) string {
	text := s.text(t)
	if text[0] == '}' {
		s.pop()
	}
	s.operand = true
	if len(text) > 1 && text[len(text)-1] == '{' {
		s.operand = false
		return s.push(bracket{kind: inTemplate})
	}
	return ""
}

func (s *scan) takePunct(t lexeme) string {
	afterOperand := s.operand
	s.operand = false
	switch p := string(s.text(t)); p {
	case "(":
		return s.push(bracket{kind: inParens, head: s.headWord()})
	case "[":
		return s.push(bracket{kind: inSquare})
	case "{":
		return s.push(bracket{kind: s.braceKind(afterOperand), member: true})
	case ")", "]", "}":
		if len(s.open) == 1 && s.stray < 0 {
			s.stray = t.start
		}
		b := s.pop()
		s.closed = b
		s.operand = p == "]" || p == ")" && !b.head || p == "}" && b.kind != inBlock
		s.boundary = p == "}"
	case ";":
		s.boundary = true
	case ",":
		s.reset()
	case "?":
		top := s.top()
		top.ternary = max(top.ternary, 0) + 1
	case ":":
		if s.top().ternary > 0 {
			s.top().ternary--
		} else if s.top().kind == inBlock {
			s.top().ternary = -1 // a label or case: a block may follow, see braceKind
		}
	case "++", "--":
		s.operand = true
	}
	return ""
}

// headWord reports whether the parenthesis after prev is the head of a statement.
func (s *scan) headWord() bool {
	if s.prev.kind != lexWord || s.is(s.before, ".") || s.is(s.before, "?.") {
		return false
	}
	switch string(s.text(s.prev)) {
	case "if", "while", "for", "with":
		return true
	case "await":
		return s.before.kind == lexWord && string(s.text(s.before)) == "for"
	}
	return false
}

// braceKind tells what a left brace opens that comes after prev.
func (s *scan) braceKind(afterOperand bool) bracketKind {
	top := s.top()
	switch {
	case s.prev.kind == lexNone:
		return inBlock
	case top.classes > 0 && (afterOperand || s.is(s.prev, ")") || string(s.text(s.prev)) == "class"):
		top.classes--
		return inClass
	case s.prev.kind == lexWord:
		switch string(s.text(s.prev)) {
		case "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "yield", "await", "extends", "default":
			return inObject
		}
		return inBlock
	case s.is(s.prev, ";"), s.is(s.prev, "{") && top.kind != inObject, s.is(s.prev, "}"), s.is(s.prev, ")"), s.is(s.prev, "=>"):
		return inBlock
	case s.is(s.prev, ":") && top.ternary < 0:
		top.ternary = 0
		return inBlock
	}
	return inObject
}

func (s *scan) push(b bracket) string {
	if len(s.open) > maxBrackets {
		return "brackets are nested too deeply"
	}
	s.open = append(s.open, b)
	return ""
}

func (s *scan) pop() bracket {
	if len(s.open) == 1 {
		return bracket{} // one too many: the parser will say so
	}
	b := *s.top()
	s.chain -= b.run + b.elses
	s.open = s.open[:len(s.open)-1]
	if top := s.top(); top.arrows < b.arrows {
		top.arrows = b.arrows
	}
	return b
}

// noteField remembers t if it may be a field that goja would misread.
func (s *scan) noteField(t lexeme) {
	top := s.top()
	if top.kind != inClass || !top.member {
		return
	}
	name := bytes.TrimPrefix(s.text(t), []byte("#"))
	switch string(name) {
	case "static":
		return // a member still may start after it
	case "get", "set":
		s.field = t
	case "async":
		if t.kind == lexWord {
			s.field = t
		}
	}
	top.member = false
}

// settleField quotes the remembered name if t shows that it is a field.
func (s *scan) settleField(t lexeme) {
	f := s.field
	if f.kind == lexNone {
		if top := s.top(); top.kind == inClass && t.kind != lexWord && t.kind != lexPrivate {
			top.member = s.is(t, ";")
		}
		return
	}
	s.field = lexeme{}
	if !s.is(t, "=") && !s.is(t, "}") {
		return
	}
	if f.kind == lexPrivate {
		// A private name cannot be quoted, but goja compares the literal text.
		c := s.lex.code[f.start+1]
		s.edits = append(s.edits, edit{at: f.start + 1, drop: 1, text: "\\u00" + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])})
		return
	}
	s.edits = append(s.edits, edit{at: f.start, text: `"`}, edit{at: f.end, text: `"`})
}

// groupDepth is the deepest nesting of groups in the regular expression literal re.
func groupDepth(re []byte) int {
	depth, deepest, class := 0, 0, false
	for i := 0; i < len(re); i++ {
		switch re[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '(':
			if !class {
				depth++
				deepest = max(deepest, depth)
			}
		case ')':
			if !class {
				depth--
			}
		}
	}
	return deepest
}
