package workers

import (
	"strconv"
	"strings"
	"sync"

	"samkit.dev/internal/bundle"
)

// positions turns places in a bundled script into places in the files as written.
type positions struct {
	once sync.Once
	m    *bundle.Map // nil if there is no usable map
}

// original rewrites every place in a text that names the bundled script.
func (a *App) original(text string) string {
	if !strings.Contains(text, chunkName) {
		return text
	}
	s := a.Script
	s.positions.once.Do(func() {
		if len(s.Map) > 0 {
			s.positions.m, _ = bundle.ParseMap(s.Map) // a broken map leaves generated positions
		}
	})
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(text, chunkName+":")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		line, col, rest, ok := position(after)
		if file, l, c, found := s.positions.m.Original(line, col); ok && found {
			out.WriteString(file + ":" + strconv.Itoa(l) + ":" + strconv.Itoa(c))
			text = rest
			continue
		}
		out.WriteString("functions.js:")
		text = after
	}
}

// firstPosition returns the place of the innermost frame of a stack.
func firstPosition(stack string) string {
	line, _, _ := strings.Cut(stack, "\n")
	if i := strings.LastIndexByte(line, '('); i >= 0 {
		return strings.TrimSuffix(line[i+1:], ")")
	}
	return strings.TrimPrefix(strings.TrimSpace(line), "at ")
}
