package bundle

import (
	"bytes"
	"fmt"
)

// esbuild parses by recursion, five to ten kilobytes of stack a level, and a
// Go program whose stack exceeds a gigabyte ends there and then. So source is
// looked through before esbuild sees it.
const (
	// A file with fewer tokens than this that could each be a level is safe
	// whatever it is.
	harmless = 200
	// maxNesting bounds what nests in a larger file.
	maxNesting = 4_000
	// arrow is what an arrow function counts: esbuild takes time quadratic in
	// their depth, and no one nests many.
	arrow = 20
	// maxSequence bounds the commas of one expression, for the same reason.
	// Lists in [] and properties of {} are no such expressions.
	maxSequence = 10_000
	// maxHidden bounds, in a larger file, what would nest if what looks like
	// strings, comments and regular expressions were code: JSX and regular
	// expressions can make it so.
	maxHidden = 40_000
)

// checkNesting refuses source that would exhaust the stack. It knows tokens,
// not grammar: whatever may make a parser call itself counts as a level until
// the bracket around it closes, or a semicolon or comma ends it.
func checkNesting(name string, src []byte) error { return checkBrackets(name, src, maxNesting) }

// checkBrackets is checkNesting that refuses more than most open brackets too.
func checkBrackets(name string, src []byte, most int) error {
	n := 0
	for i := 0; i < len(src); {
		w, next := level(src, i)
		if src[i] == ',' {
			w = 1
		}
		if n += w; n >= harmless {
			l := lexer{src: src, most: most}
			if l.tooDeep() {
				line := 1 + bytes.Count(src[:min(l.i, len(src))], []byte("\n"))
				text := "The source is nested too deep, or an expression in it is too long"
				if most < maxNesting && len(l.frames)-1 > most {
					text = fmt.Sprintf("The source is nested more than %d deep", most)
				}
				return &Error{[]Diagnostic{{File: name, Line: line, Column: 1, Text: text}}}
			}
			return nil
		}
		i = next
	}
	return nil
}

// level says how many levels the token at i may open, and where the next is.
func level(src []byte, i int) (int, int) {
	switch c := src[i]; c {
	case '(', '[', '{', '<', '.', '!', '~', '=', '?', ':', '+', '-', '*', '`':
		return 1, i + 1
	default:
		if !isWord(c) {
			return 0, i + 1
		}
	}
	end := i + 1
	for end < len(src) && isWord(src[end]) {
		end++
	}
	if isPrefix(src[i:end]) {
		return 1, end
	}
	return 0, end
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// isPrefix reports whether a keyword can stand before itself, or before a
// statement or type.
func isPrefix(word []byte) bool {
	switch string(word) {
	case "if", "else", "for", "while", "do", "with", "try", "new", "typeof", "void", "delete", "await", "yield", "async",
		"throw", "return", "case", "default", "extends", "keyof", "infer", "readonly", "unique", "asserts", "as", "satisfies",
		"export", "import", "function", "class", "namespace", "module", "declare", "abstract", "in", "of", "instanceof":
		return true
	}
	return false
}

// A lexer follows JavaScript roughly: enough to tell code from what is not.
type lexer struct {
	src     []byte
	most    int // open brackets
	i       int
	frames  []frame
	depth   int // of all frames together
	hidden  int
	regexp  bool   // a slash here begins a regular expression
	word    string // the word before, if it was one
	newline bool   // since the token before
	brace   bool   // the token before is }

	// unsure is set by the first token that may be read wrongly, such as a slash or what may
	// be an element of JSX. Before it, strings and comments are just that.
	unsure bool
}

type frame struct {
	open     byte // '(' '[' '{', '$' of a template's ${
	levels   int
	commas   int  // of a sequence
	choices  int  // ? that wait for their :
	property bool // a : that is of no ?
	tested   bool // ( of if, while, for, with: a statement follows
	template bool
}

func (l *lexer) tooDeep() bool {
	l.frames = append(l.frames, frame{})
	l.regexp = true
	l.unsure = bytes.HasPrefix(l.src, []byte("#!")) || bytes.Contains(l.src, []byte("-->")) || bytes.Contains(l.src, []byte("<!--"))
	for l.i < len(l.src) {
		if l.over() {
			return true
		}
		l.token()
	}
	return l.over()
}

func (l *lexer) over() bool {
	return l.depth > maxNesting || l.hidden > maxHidden || l.top().commas > maxSequence || len(l.frames)-1 > l.most
}

func (l *lexer) top() *frame { return &l.frames[len(l.frames)-1] }

func (l *lexer) add(n int) {
	l.top().levels += n
	l.depth += n
}

func (l *lexer) token() {
	c := l.src[l.i]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		l.newline = l.newline || c == '\n'
		l.i++
		return
	case isWord(c):
		w, end := level(l.src, l.i)
		l.add(w)
		word := l.src[l.i:end]
		if startsStatement(word) && l.newline || startsDeclaration(word) && l.brace {
			l.settle() // no semicolon needed
		}
		l.newline, l.brace = false, false
		l.regexp = w > 0 && !bytes.Equal(word, []byte("as"))
		l.word = ""
		if len(word) <= 5 {
			l.word = string(word)
		}
		l.i = end
		return
	case c == '/':
		l.slash()
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		l.add(1)
		l.i++
		l.template()
	case c == '(' || c == '[' || c == '{':
		tested := c == '(' && (l.word == "if" || l.word == "while" || l.word == "for" || l.word == "with")
		l.frames = append(l.frames, frame{open: c, tested: tested})
		l.add(1)
		l.i++
		l.regexp = true
	case c == ')' || c == ']' || c == '}':
		l.close(c)
	case c == ';' || c == ',':
		l.settle()
		l.sequence(c)
		l.i++
		l.regexp = true
	default:
		l.unsure = l.unsure || c == '<'
		if c == '<' && l.i+1 < len(l.src) && (isWord(l.src[l.i+1]) || l.src[l.i+1] == '>') {
			l.hidden++ // an element of JSX: its text holds commas and keywords
		}
		w, end := level(l.src, l.i)
		l.add(w)
		l.operator(c)
		l.i, l.regexp = end, true
	}
	l.word, l.newline, l.brace = "", false, c == '}'
}

// settle ends what nests in the innermost bracket.
func (l *lexer) settle() {
	f := l.top()
	keep := 0
	if len(l.frames) > 1 {
		keep = 1
	}
	if f.levels > keep {
		l.depth -= f.levels - keep
		f.levels = keep
	}
}

// sequence counts commas that may be operators.
func (l *lexer) sequence(c byte) {
	f := l.top()
	if c == ',' && f.open != '[' && !(f.open == '{' && f.property) {
		f.commas++
	} else {
		f.commas = 0
	}
	f.choices, f.property = 0, false
}

func (l *lexer) operator(c byte) {
	f := l.top()
	next := byte(0)
	if l.i+1 < len(l.src) {
		next = l.src[l.i+1]
	}
	switch {
	case c == '=' && next == '>':
		l.add(arrow)
	case c == '?' && (next == '.' || next == '?'):
	case c == '?' && l.i > 0 && l.src[l.i-1] == '?':
	case c == '?':
		f.choices++
	case c == ':' && f.choices > 0:
		f.choices--
	case c == ':':
		f.property = true
	}
}

// startsStatement reports whether a keyword ends the statement on the line
// before and does not nest in another.
func startsStatement(word []byte) bool {
	switch string(word) {
	case "const", "let", "var", "export", "return", "throw", "break", "continue":
		return true
	}
	return false
}

// startsDeclaration reports whether a keyword after } begins a statement: an
// expression does not go on with it.
func startsDeclaration(word []byte) bool {
	return string(word) == "function" || string(word) == "class" || startsStatement(word)
}

// close pops a frame. What it held counts as one level of the frame around:
// a()()() and a[0][0] are deep too.
func (l *lexer) close(c byte) {
	l.i++
	l.regexp = c == '}'
	if len(l.frames) == 1 {
		return
	}
	f := *l.top()
	l.depth -= f.levels
	l.frames = l.frames[:len(l.frames)-1]
	l.add(1)
	if c == ')' {
		l.regexp = f.tested
	}
	if c == '}' && f.template {
		l.template()
	}
}

// template passes the text of a template up to its end or the next ${.
func (l *lexer) template() {
	start := l.i
	for ; l.i < len(l.src); l.i++ {
		switch l.src[l.i] {
		case '\\':
			l.i++
		case '`':
			l.hide(start, l.i)
			l.i++
			l.regexp = false
			return
		case '$':
			if l.i+1 < len(l.src) && l.src[l.i+1] == '{' {
				l.hide(start, l.i)
				l.i += 2
				l.frames = append(l.frames, frame{open: '$', template: true})
				l.add(1)
				l.regexp = true
				return
			}
		}
	}
	l.hide(start, len(l.src))
}

// quoted passes a string. One that does not end on its line is none: it is
// text of JSX, and what follows may be code.
func (l *lexer) quoted(quote byte) {
	l.regexp = false
	for j := l.i + 1; j < len(l.src) && l.src[j] != '\n'; j++ {
		if l.src[j] == '\\' {
			j++
		} else if l.src[j] == quote {
			l.hide(l.i+1, j)
			l.i = j + 1
			return
		}
	}
	l.unsure = true
	l.i++
}

// ends are the other line ends of JavaScript.
const ends = "\r\u2028\u2029"

func (l *lexer) slash() {
	rest := l.src[l.i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		l.unsure = l.unsure || bytes.ContainsAny(bytes.TrimSuffix(rest[:end], []byte("\r")), ends)
		l.hide(l.i+2, l.i+end)
		l.i += end
		return
	case bytes.HasPrefix(rest, []byte("/*")):
		end := bytes.Index(rest[2:], []byte("*/"))
		if end < 0 {
			l.i += 2
			return
		}
		l.hide(l.i+2, l.i+2+end)
		l.i += end + 4
		return
	}
	l.unsure = true
	if l.regexp {
		class := false
		for j := l.i + 1; j < len(l.src) && l.src[j] != '\n'; j++ {
			switch c := l.src[j]; {
			case c == '\\':
				j++
			case c == '[':
				class = true
			case c == ']':
				class = false
			case c == '/' && !class:
				l.hide(l.i+1, j)
				l.i, l.regexp = j+1, false
				return
			}
		}
	}
	l.i++
	l.regexp = true
}

// hide counts what would nest if this were code. Prose ends its levels at
// commas, semicolons and line ends.
func (l *lexer) hide(from, to int) {
	if !l.unsure {
		return
	}
	open, chain := 0, 0
	for i := from; i < to; {
		switch l.src[i] {
		case '(', '[', '{':
			open++
			i++
			continue
		case ')', ']', '}':
			open = max(open-1, 0)
		case ';', ',', '\n':
			chain = 0
		case ' ', '-', '*', '=', '.', ':': // rulers, sentences, addresses
			for i+1 < to && l.src[i+1] == l.src[i] {
				i++
			}
		}
		w, next := level(l.src[:to], i)
		chain += w
		i = next
	}
	if chain > 50 { // a line of prose or markup has less
		open += chain
	}
	l.hidden += open
}
