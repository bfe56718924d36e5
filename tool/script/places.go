package script

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"samkit.dev/internal/bundle"
)

// places knows where the code of a session's lines comes from, for stacks. It is safe for concurrent use:
// what is printed comes from another goroutine.
type places struct {
	mu    sync.Mutex // guards the rest
	known map[string]*origin
	names []string // the oldest first
}

// An origin is where a line's code comes from.
type origin struct {
	code  []byte
	data  []byte // the map, until it is needed
	m     *bundle.Map
	lines int // that stand before the code
	shift int // characters before the first line of the source
}

// maxOrigins is of how many lines the places are kept.
const maxOrigins = 200

func (p *places) add(name string, out *bundle.Output, lines, shift int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]*origin{}
	}
	p.known[name] = &origin{code: out.Code, data: out.Map, lines: lines, shift: shift}
	if p.names = append(p.names, name); len(p.names) > maxOrigins {
		delete(p.known, p.names[0])
		p.names = p.names[1:]
	}
}

// rewrite gives text the places in the source, in the form in which the runtime has them in the code. Frames of
// what is around the lines go.
func (p *places) rewrite(text string) string {
	if strings.Contains(text, ownFrames) {
		var kept []string
		for l := range strings.SplitSeq(text, "\n") {
			if !strings.Contains(l, ownFrames) && !strings.HasSuffix(l, "(native)") {
				kept = append(kept, l)
			}
		}
		text = strings.Join(kept, "\n")
	}
	return placePattern.ReplaceAllStringFunc(text, func(at string) string {
		name, rest, _ := strings.Cut(at, ":")
		line, column, _ := strings.Cut(rest, ":")
		l, _ := strconv.Atoi(line) // by the pattern they are numbers
		c, _ := strconv.Atoi(column)
		p.mu.Lock()
		defer p.mu.Unlock()
		o := p.known[name]
		if o == nil {
			return at
		}
		return o.original(at, l, c)
	})
}

// ownFrames is what frames of repl.js have.
const ownFrames = "functions.bundle.js"

func (o *origin) original(at string, line, column int) string {
	if o.data != nil {
		o.m, _ = bundle.ParseMap(o.data) // one that is broken knows no place
		o.data = nil
	}
	if o.m == nil {
		return at
	}
	file, l, c, ok := o.m.Original(line-o.lines, units(o.code, line-o.lines, column))
	if !ok {
		return at
	}
	if l == 1 {
		c = max(c-o.shift, 1)
	}
	return fmt.Sprintf("%s:%d:%d", file, l, c)
}

// units turns a column in bytes into one in UTF-16 units.
func units(code []byte, line, column int) int {
	for ; line > 1; line-- {
		i := bytes.IndexByte(code, '\n')
		if i < 0 {
			return column
		}
		code = code[i+1:]
	}
	n := 1
	for _, r := range string(code[:min(max(column-1, 0), len(code))]) {
		n += utf16.RuneLen(r)
	}
	return n
}
