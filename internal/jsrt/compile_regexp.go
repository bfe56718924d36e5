package jsrt

import (
	"bytes"
	"strings"

	"samkit.dev/internal/esregexp"
)

// constructRegexp makes a literal that goja would refuse or match wrongly a call of the constructor, which the runtime may
// replace by one that does better. In a loop it makes a new object each time, as the literal does.
func (s *scan) constructRegexp(t lexeme) {
	text := s.text(t)
	end := bytes.LastIndexByte(text, '/')
	if end < 1 {
		return // it has no end
	}
	pattern, flags := string(text[1:end]), string(text[end+1:])
	if !esregexp.Beyond(pattern, flags) || strings.Contains(flags, "\\") {
		return
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pattern)
	s.edits = append(s.edits, edit{at: t.start, drop: t.end - t.start, text: ` new RegExp("` + quoted + `","` + flags + `")`})
}
