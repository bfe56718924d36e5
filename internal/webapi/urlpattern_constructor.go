package webapi

type constructorState int

// The states of the constructor string parser; those of components are their fields.
const (
	stateInit constructorState = iota - 3
	stateAuthority
	stateDone
)

// A constructorParser is the standard's "constructor string parser".
type constructorParser struct {
	r         *Realm
	in        string
	tokens    []patternToken
	result    patternInit
	start     int // the token at which the component begins
	index     int
	increment int
	depth     int // of { }
	brackets  int // of an IPv6 address
	special   bool
	state     constructorState
}

// parseConstructor is "parse a constructor string".
func (r *Realm) parseConstructor(in string) (*patternInit, error) {
	tokens, err := tokenizePattern(in, true)
	if err != nil {
		return nil, err
	}
	p := constructorParser{r: r, in: in, tokens: tokens, state: stateInit}
	for p.index < len(tokens) && p.state != stateDone {
		p.increment = 1
		if err := p.step(); err != nil {
			return nil, err
		}
		p.index += p.increment
	}
	if p.result.has[fieldHostname] && !p.result.has[fieldPort] {
		p.result.set(fieldPort, "")
	}
	return &p.result, nil
}

func (p *constructorParser) step() error {
	switch p.tokens[p.index].kind {
	case lexEnd:
		p.end()
		return nil
	case lexOpen:
		p.depth++
		return nil
	case lexClose:
		if p.depth > 0 {
			p.depth--
		}
	}
	if p.depth > 0 {
		return nil
	}
	return p.component()
}

func (p *constructorParser) end() {
	switch p.state {
	case stateInit:
		p.rewind()
		switch {
		case p.is("#"):
			p.change(constructorState(fieldHash), 1)
		case p.isSearch():
			p.change(constructorState(fieldSearch), 1)
		default:
			p.change(constructorState(fieldPathname), 0)
		}
	case stateAuthority:
		p.rewind()
		p.state = constructorState(fieldHostname)
	default:
		p.change(stateDone, 0)
	}
}

func (p *constructorParser) component() error {
	switch p.state {
	case stateInit:
		if p.is(":") {
			p.rewind()
			p.state = constructorState(fieldProtocol)
		}
	case constructorState(fieldProtocol):
		if p.is(":") {
			return p.endProtocol()
		}
	case stateAuthority:
		if p.is("@") {
			p.rewind()
			p.state = constructorState(fieldUsername)
		} else if p.is("/") || p.isSearch() || p.is("#") {
			p.rewind()
			p.state = constructorState(fieldHostname)
		}
	case constructorState(fieldUsername):
		if p.is(":") {
			p.change(constructorState(fieldPassword), 1)
		} else if p.is("@") {
			p.change(constructorState(fieldHostname), 1)
		}
	case constructorState(fieldPassword):
		if p.is("@") {
			p.change(constructorState(fieldHostname), 1)
		}
	case constructorState(fieldHostname):
		switch {
		case p.is("["):
			p.brackets++
		case p.is("]"):
			p.brackets--
		case p.is(":") && p.brackets == 0:
			p.change(constructorState(fieldPort), 1)
		default:
			p.endBefore(fieldPathname)
		}
	case constructorState(fieldPort):
		p.endBefore(fieldPathname)
	case constructorState(fieldPathname):
		p.endBefore(fieldSearch)
	case constructorState(fieldSearch):
		p.endBefore(fieldHash)
	}
	return nil
}

// endBefore goes on to the component that begins here, if that is next or one after it.
func (p *constructorParser) endBefore(next patternField) {
	switch {
	case next <= fieldPathname && p.is("/"):
		p.change(constructorState(fieldPathname), 0)
	case next <= fieldSearch && p.isSearch():
		p.change(constructorState(fieldSearch), 1)
	case p.is("#"):
		p.change(constructorState(fieldHash), 1)
	}
}

func (p *constructorParser) endProtocol() error {
	c, err := p.r.compilePattern(p.text(), canonicalProtocol, &patternOptions{})
	if err != nil {
		return err
	}
	p.special = p.r.matchesSpecial(c)
	switch {
	case p.isAt(p.index+1, "/") && p.isAt(p.index+2, "/"):
		p.change(stateAuthority, 3)
	case p.special:
		p.change(stateAuthority, 1)
	default:
		p.change(constructorState(fieldPathname), 1)
	}
	return nil
}

// change is "change state". A component that was passed over is empty, not anything.
func (p *constructorParser) change(to constructorState, skip int) {
	from := p.state
	if from >= 0 {
		p.result.set(patternField(from), p.text())
	}
	if from != stateInit && to != stateDone {
		fill := func(f patternField, s string, before bool) {
			if before && constructorState(f) < to && !p.result.has[f] {
				p.result.set(f, s)
			}
		}
		fill(fieldHostname, "", from == stateAuthority || from < constructorState(fieldHostname))
		path := ""
		if p.special {
			path = "/"
		}
		fill(fieldPathname, path, from < constructorState(fieldPathname))
		fill(fieldSearch, "", from < constructorState(fieldSearch))
	}
	p.state = to
	p.index += skip
	p.start = p.index
	p.increment = 0
}

func (p *constructorParser) rewind() { p.index, p.increment = p.start, 0 }

// text is "make a component string".
func (p *constructorParser) text() string {
	return p.in[p.token(p.start).index:p.tokens[p.index].index]
}

// token is "get a safe token".
func (p *constructorParser) token(i int) *patternToken { return &p.tokens[min(i, len(p.tokens)-1)] }

// is is "is a non-special pattern char", of the current token.
func (p *constructorParser) is(value string) bool { return p.isAt(p.index, value) }

func (p *constructorParser) isAt(i int, value string) bool {
	t := p.token(i)
	return t.value == value && (t.kind == lexChar || t.kind == lexEscaped || t.kind == lexInvalid)
}

// isSearch is "is a search prefix": a question mark that is no modifier.
func (p *constructorParser) isSearch() bool {
	if p.is("?") {
		return true
	}
	if p.tokens[p.index].value != "?" {
		return false
	}
	if p.index == 0 {
		return true
	}
	switch p.tokens[p.index-1].kind {
	case lexName, lexRegExp, lexClose, lexAsterisk:
		return false
	}
	return true
}
