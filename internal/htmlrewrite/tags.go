package htmlrewrite

import "slices"

// maxCost bounds what the open elements take in memory, in bytes.
const maxCost = 32 << 20

// lowerName returns a tag name in lower case, the same string for the same name.
func (rw *Rewriter) lowerName(b []byte) string {
	if s, ok := rw.names[string(b)]; ok {
		return s
	}
	s := asciiLower(string(b))
	if len(rw.names) < 512 && len(b) < 64 {
		rw.names[string(b)] = s
	}
	return s
}

func (rw *Rewriter) startTag(t *token) error {
	name := rw.lowerName(t.name)
	mode, err := rw.ctx.start(name, t)
	if err != nil {
		return err
	}
	ns := rw.ctx.current()
	rw.lex.mode, rw.lex.raw, rw.lex.cdata = mode, name, ns != HTML
	if rw.match == nil {
		rw.raw(t)
		return nil
	}
	hasContent := !voids[name]
	if ns != HTML {
		hasContent = !t.selfClosing
	}
	parent := &rw.stack[len(rw.stack)-1]
	parent.count++
	e := candidate{name: name, tok: t, index: parent.count}
	if rw.match.types {
		if parent.types == nil {
			parent.types = map[string]int{}
		}
		before := len(parent.types)
		parent.types[name]++
		rw.cost += 64 * (len(parent.types) - before)
		e.typed = parent.types[name]
	}
	var f frame
	rw.match.match(parent, &e, &f, func(rule int) {
		if !slices.Contains(f.rules, rule) {
			f.rules = append(f.rules, rule)
		}
	})
	f.name = name
	if hasContent {
		if err := rw.push(&f, parent); err != nil {
			return err
		}
	}
	rw.callElement(t, ns, &f, hasContent)
	return nil
}

// push opens an element.
func (rw *Rewriter) push(f, parent *frame) error {
	rw.cost += f.cost(parent)
	if len(rw.stack) > maxDepth || rw.cost > maxCost {
		return ErrMemory
	}
	slices.Sort(f.rules)
	for _, i := range f.rules {
		rw.within[i]++
		if rw.rules[i].Text || rw.rules[i].Comments {
			rw.active++
		}
	}
	rw.open[f.name]++
	rw.stack = append(rw.stack, *f)
	return nil
}

func (f *frame) cost(parent *frame) int {
	n := 128 + 8*(len(f.children)+len(f.rules))
	if len(f.below) > 0 && &f.below[0] != &parent.below[0] {
		n += 8 * len(f.below)
	}
	return n
}

// callElement has the handlers called for an element.
func (rw *Rewriter) callElement(t *token, ns Namespace, f *frame, hasContent bool) {
	var e *Element
	for _, i := range f.rules {
		if !rw.rules[i].Element {
			continue
		}
		if e == nil {
			e = &Element{namespace: ns, name: text(t.name), tok: t, hasContent: hasContent}
			e.removed = !rw.emit()
		}
		rw.calls = append(rw.calls, Call{Unit: e, Rule: i})
	}
	if e == nil {
		rw.raw(t)
		return
	}
	rw.finish = func() {
		if rw.emit() {
			rw.out.token(&e.mutations, func() { e.write(&rw.out) })
		}
		if !hasContent {
			return
		}
		top := &rw.stack[len(rw.stack)-1]
		if e.empty {
			top.removed = true
			rw.removed++
		}
		if e.end.any() {
			top.end = &e.end
		}
	}
}

func (rw *Rewriter) endTag(t *token) {
	name := rw.lowerName(t.name)
	rw.ctx.end(name)
	rw.lex.cdata = rw.ctx.current() != HTML
	var work []*endWork
	if rw.open[name] > 0 {
		for closed := false; !closed; {
			top := &rw.stack[len(rw.stack)-1]
			closed = top.name == name
			if top.end != nil {
				work = append(work, top.end)
			}
			rw.pop(top)
		}
	}
	if len(work) == 0 {
		rw.raw(t)
		return
	}
	u := &EndTag{name: text(t.name)}
	raw := t.raw
	rw.atEnd(u, work, func() {
		if !rw.emit() {
			return
		}
		rw.out.token(&u.mutations, func() {
			if !u.changed {
				rw.out.write(raw)
				return
			}
			rw.out.bytes = append(append(append(rw.out.bytes, "</"...), u.name...), '>')
		})
	})
}

// atEnd does what closed elements left to do, inner ones first, and then done.
func (rw *Rewriter) atEnd(u *EndTag, work []*endWork, done func()) {
	for len(work) > 0 {
		w := work[0]
		work = work[1:]
		if w.name != "" {
			u.SetName(w.name)
		}
		if w.changed {
			u.mutations = w.mutations
		}
		if w.handler != nil {
			rw.calls = append(rw.calls, Call{Unit: u, Handler: w.handler})
			rw.finish = func() { rw.atEnd(u, work, done) }
			return
		}
	}
	done()
}

// pop closes the innermost element.
func (rw *Rewriter) pop(f *frame) {
	for _, i := range f.rules {
		rw.within[i]--
		if rw.rules[i].Text || rw.rules[i].Comments {
			rw.active--
		}
	}
	if f.removed {
		rw.removed--
	}
	if rw.open[f.name]--; rw.open[f.name] == 0 {
		delete(rw.open, f.name)
	}
	n := len(rw.stack) - 1
	rw.cost -= f.cost(&rw.stack[n-1]) + 64*len(f.types)
	rw.stack[n] = frame{}
	rw.stack = rw.stack[:n]
}
