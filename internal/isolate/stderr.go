package isolate

import "strings"

const (
	noiseKeep = 4 << 10 // of the beginning, and of the end
	noiseMax  = 1 << 20 // in all
)

// noise keeps the beginning and the end of a worker's standard error: a Go
// program that crashes says why first and what was about last.
type noise struct {
	head, tail []byte
	n          int
}

// add reports true when p passes noiseMax.
func (s *noise) add(p []byte) bool {
	before := s.n
	s.n += len(p)
	k := min(len(p), noiseKeep-len(s.head))
	s.head = append(s.head, p[:k]...)
	p = p[k:]
	s.tail = append(s.tail, p[max(0, len(p)-noiseKeep):]...)
	if len(s.tail) > noiseKeep {
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-noiseKeep:]...)
	}
	return before <= noiseMax && s.n > noiseMax
}

func (s *noise) String() string {
	text := string(s.head)
	if s.n > len(s.head)+len(s.tail) {
		text += "\n[...]\n"
	}
	return strings.ToValidUTF8(text+string(s.tail), "\uFFFD")
}
