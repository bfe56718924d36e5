package htmlrewrite

// A Rule is what is to be called for the elements that a selector matches: for themselves, and
// for comments and text within them.
type Rule struct {
	Selector                *Selector
	Element, Comments, Text bool
}

// A DocumentRule is what is to be called for a whole document.
type DocumentRule struct {
	Doctype, Comments, Text, End bool
}

// A Call is a handler that is to be called before [Rewriter.Next] is called again.
type Call struct {
	// Unit is an *Element, *Text, *Comment, *Doctype, *EndTag or *End. It is good until the
	// next Next. Nil means that all input has been read.
	Unit any
	// Rule is the number of the rule; document rules count on behind the others.
	Rule int
	// Handler is what was given to OnEndTag, for an EndTag.
	Handler any
}

// A Rewriter rewrites one document. It belongs to one goroutine at a time.
type Rewriter struct {
	// MaxContent is how many bytes handlers may insert at one place; [New] sets it.
	MaxContent int

	rules []Rule
	docs  []DocumentRule
	lex   lexer
	ctx   context
	match *matcher // nil if there are no rules
	out   output

	stack   []frame        // the first is the document
	open    map[string]int // names on the stack
	names   map[string]string
	within  []int // by rule: how many matching elements are open
	active  int   // the sum of those that are called for text or comments
	removed int   // open elements whose content is removed
	cost    int   // of the stack in bytes, roughly

	inText bool // a text node has begun
	ended  bool // the end of the document has been dealt with
	failed error

	calls  []Call // for the current token
	made   int    // how many of them have been made
	finish func() // once all are
}

// New returns a rewriter.
func New(rules []Rule, docs []DocumentRule) *Rewriter {
	rw := &Rewriter{MaxContent: maxContent, rules: rules, docs: docs, names: map[string]string{}}
	rw.lex.limit = maxToken
	if len(rules) > 0 {
		rw.match = newMatcher(rules)
		rw.open = map[string]int{}
		rw.within = make([]int, len(rules))
		rw.stack = []frame{{below: rw.match.root}}
	}
	return rw
}

// Write adds input, which must not change any more.
func (rw *Rewriter) Write(b []byte) {
	if len(b) > 0 {
		rw.lex.write(b)
	}
}

// Close says that no more input comes.
func (rw *Rewriter) Close() { rw.lex.final = true }

// Output returns what has been written since the last call.
func (rw *Rewriter) Output() []Segment {
	rw.out.flush()
	s := rw.out.segments
	rw.out.segments = nil
	return s
}

// Pending returns how many bytes Output would return, streams aside.
func (rw *Rewriter) Pending() int { return len(rw.out.bytes) }

// Next goes on until a handler is to be called or the input is used up.
func (rw *Rewriter) Next() (Call, error) {
	for {
		if rw.made < len(rw.calls) {
			rw.made++
			return rw.calls[rw.made-1], nil
		}
		rw.calls, rw.made = rw.calls[:0], 0
		if done := rw.finish; done != nil {
			rw.finish = nil
			rw.out.room = rw.MaxContent
			if done(); rw.out.room < 0 {
				rw.failed = ErrMemory
			}
			if rw.failed != nil {
				return Call{}, rw.failed
			}
			continue
		}
		t, err := rw.lex.next()
		switch {
		case err != nil:
			return Call{}, err
		case t != nil:
			if err := rw.token(t); err != nil {
				return Call{}, err
			}
		case !rw.lex.final || rw.ended:
			return Call{}, nil
		default:
			rw.end()
		}
	}
}

// emit reports whether content is written at all.
func (rw *Rewriter) emit() bool { return rw.removed == 0 }

func (rw *Rewriter) token(t *token) error {
	if t.kind != tokenText && rw.inText {
		if rw.wantsText() {
			rw.endText(t)
			return nil
		}
		rw.inText = false
	}
	switch t.kind {
	case tokenText:
		rw.text(t)
	case tokenStart:
		return rw.startTag(t)
	case tokenEnd:
		rw.endTag(t)
	case tokenComment:
		rw.comment(t)
	case tokenDoctype:
		rw.doctype(t)
	default:
		rw.raw(t)
	}
	return nil
}

func (rw *Rewriter) raw(t *token) {
	if rw.emit() {
		rw.out.write(t.raw)
	}
}

// call appends calls for a unit of all rules that want it.
func (rw *Rewriter) call(unit any, rule func(*Rule) bool, doc func(*DocumentRule) bool) {
	if rule != nil && rw.active > 0 {
		for i, n := range rw.within {
			if n > 0 && rule(&rw.rules[i]) {
				rw.calls = append(rw.calls, Call{Unit: unit, Rule: i})
			}
		}
	}
	for i := range rw.docs {
		if doc(&rw.docs[i]) {
			rw.calls = append(rw.calls, Call{Unit: unit, Rule: len(rw.rules) + i})
		}
	}
}

func (rw *Rewriter) text(t *token) {
	rw.inText = true
	if !rw.wantsText() {
		rw.raw(t)
		return
	}
	rw.callText(&Text{Text: text(t.raw), raw: t.raw}, nil)
}

func (rw *Rewriter) wantsText() bool {
	if rw.active > 0 {
		return true
	}
	for i := range rw.docs {
		if rw.docs[i].Text {
			return true
		}
	}
	return false
}

func (rw *Rewriter) callText(u *Text, then func()) {
	rw.call(u, func(r *Rule) bool { return r.Text }, func(d *DocumentRule) bool { return d.Text })
	rw.finish = func() {
		if rw.emit() {
			rw.out.token(&u.mutations, func() { rw.out.write(u.raw) })
		}
		if then != nil {
			then()
		}
	}
}

// endText ends a text node before another token, or the end if t is nil.
func (rw *Rewriter) endText(t *token) {
	rw.inText = false
	rw.callText(&Text{Last: true}, func() {
		if t != nil {
			rw.failed = rw.token(t)
		}
	})
}

func (rw *Rewriter) comment(t *token) {
	u := &Comment{text: text(t.text)}
	rw.call(u, func(r *Rule) bool { return r.Comments }, func(d *DocumentRule) bool { return d.Comments })
	raw := t.raw
	rw.finish = func() {
		if !rw.emit() {
			return
		}
		rw.out.token(&u.mutations, func() {
			if !u.changed {
				rw.out.write(raw)
				return
			}
			rw.out.bytes = append(append(append(rw.out.bytes, "<!--"...), u.text...), "-->"...)
		})
	}
}

func (rw *Rewriter) doctype(t *token) {
	rw.call(parseDoctype(t.text), nil, func(d *DocumentRule) bool { return d.Doctype })
	raw := t.raw
	rw.finish = func() {
		if rw.emit() {
			rw.out.write(raw)
		}
	}
}

// end ends the document.
func (rw *Rewriter) end() {
	if rw.inText {
		rw.endText(nil)
		return
	}
	rw.ended = true
	u := &End{}
	rw.call(u, nil, func(d *DocumentRule) bool { return d.End })
	rw.finish = func() { rw.out.content(u.content) }
}
