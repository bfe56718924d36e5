package host

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// A shape says where a type's JSON holds integers. Nil means nowhere.
type shape struct {
	kind  kind
	props map[string]*shape // of a structure
	elem  *shape            // of a list or dictionary
}

type kind uint8

const (
	number kind = iota + 1 // an integer, always a JSON number
	wide                   // an integer that is a string beyond 2⁵³−1
	structure
	lists
	dict
)

func object(props map[string]*shape) *shape {
	for _, s := range props {
		if s != nil {
			return &shape{kind: structure, props: props}
		}
	}
	return nil
}

func list(elem *shape) *shape {
	if elem == nil {
		return nil
	}
	return &shape{kind: lists, elem: elem}
}

func dictionary(elem *shape) *shape {
	if elem == nil {
		return nil
	}
	return &shape{kind: dict, elem: elem}
}

// maxSafe is the largest integer that a JavaScript number holds exactly
// together with its neighbours.
const maxSafe = 1<<53 - 1

// decode rewrites checked arguments for encoding/json: strings become numbers
// where a wide integer is wanted, and 1.0 or 1e3 become 1 and 1000.
func (s *shape) decode(src json.RawMessage) (json.RawMessage, error) {
	if s == nil {
		return src, nil
	}
	r := rewriter{src: src, dst: make([]byte, 0, len(src)+16), integer: integerFromScript}
	return r.run(s)
}

// encode rewrites the output of encoding/json for JavaScript: wide integers
// beyond 2⁵³−1 become strings.
func (s *shape) encode(src json.RawMessage) (json.RawMessage, error) {
	if s == nil {
		return src, nil
	}
	r := rewriter{src: src, dst: make([]byte, 0, len(src)+16), integer: integerForScript}
	return r.run(s)
}

func integerFromScript(dst, literal []byte, k kind) ([]byte, error) {
	if literal[0] == '"' {
		if k != wide {
			return append(dst, literal...), nil
		}
		return append(dst, trimZeros(literal[1:len(literal)-1])...), nil
	}
	if !plainDigits(literal) {
		// scan bounded the exponent, so the exact value is small.
		v, ok := new(big.Rat).SetString(string(literal))
		if !ok || !v.IsInt() {
			return append(dst, literal...), nil // encoding/json says what is wrong
		}
		literal = v.Num().Append(nil, 10)
	}
	if !isSafe(literal) {
		if k == wide {
			return nil, fmt.Errorf("the integer %s is beyond what a number holds; send it as a string", clip(string(literal), 40))
		}
		return nil, fmt.Errorf("the integer %s is out of range", clip(string(literal), 40))
	}
	return append(dst, literal...), nil
}

func integerForScript(dst, literal []byte, k kind) ([]byte, error) {
	if literal[0] == '"' || isSafe(literal) {
		return append(dst, literal...), nil
	}
	if k != wide {
		return nil, fmt.Errorf("the result holds the integer %s in a Go int or uint; use int64 or uint64, which may travel as a string", literal)
	}
	dst = append(dst, '"')
	dst = append(dst, literal...)
	return append(dst, '"'), nil
}

// trimZeros drops leading zeros, which JSON numbers may not have.
func trimZeros(digits []byte) []byte {
	sign := 0
	if digits[0] == '-' {
		sign = 1
	}
	i := sign
	for i < len(digits)-1 && digits[i] == '0' {
		i++
	}
	return append(digits[:sign:sign], digits[i:]...)
}

func plainDigits(literal []byte) bool {
	for i, c := range literal {
		if (c < '0' || c > '9') && !(c == '-' && i == 0) {
			return false
		}
	}
	return true
}

// isSafe reports whether the digits are within ±(2⁵³−1).
func isSafe(literal []byte) bool {
	var n int64
	for _, c := range literal {
		if c == '-' {
			continue
		}
		if n = n*10 + int64(c-'0'); n > maxSafe {
			return false
		}
	}
	return true
}

// A rewriter copies valid JSON and changes the integers that a shape names.
// Its recursion follows the shape, so its depth is that of a Go type.
type rewriter struct {
	src, dst []byte
	i        int // next byte of src
	copied   int // bytes of src that are in dst
	integer  func(dst, literal []byte, k kind) ([]byte, error)
}

func (r *rewriter) run(s *shape) (json.RawMessage, error) {
	if err := r.value(s); err != nil {
		return nil, err
	}
	return append(r.dst, r.src[r.copied:]...), nil
}

func (r *rewriter) value(s *shape) error {
	r.i = skipSpace(r.src, r.i)
	c := r.src[r.i]
	switch {
	case s == nil:
		r.skip()
		return nil
	case c == '{' && (s.kind == structure || s.kind == dict):
		return r.object(s)
	case c == '[' && s.kind == lists:
		return r.array(s)
	case (c == '"' || c == '-' || c >= '0' && c <= '9') && (s.kind == number || s.kind == wide):
		start := r.i
		r.skip()
		r.dst = append(r.dst, r.src[r.copied:start]...)
		r.copied = r.i
		var err error
		r.dst, err = r.integer(r.dst, r.src[start:r.i], s.kind)
		return err
	}
	r.skip() // null, or what encoding/json will refuse
	return nil
}

func (r *rewriter) object(s *shape) error {
	r.i++
	for {
		r.i = skipSpace(r.src, r.i)
		switch r.src[r.i] {
		case '}':
			r.i++
			return nil
		case ',':
			r.i++
			continue
		}
		end := stringEnd(r.src, r.i)
		elem := s.elem
		if s.kind == structure {
			var name string
			if err := json.Unmarshal(r.src[r.i:end], &name); err != nil {
				return err
			}
			elem = s.props[name]
		}
		r.i = skipSpace(r.src, end) + 1 // past the colon
		if err := r.value(elem); err != nil {
			return err
		}
	}
}

func (r *rewriter) array(s *shape) error {
	r.i++
	for {
		r.i = skipSpace(r.src, r.i)
		switch r.src[r.i] {
		case ']':
			r.i++
			return nil
		case ',':
			r.i++
			continue
		}
		if err := r.value(s.elem); err != nil {
			return err
		}
	}
}

// skip passes a value without looking into it.
func (r *rewriter) skip() {
	depth := 0
	for {
		switch c := r.src[r.i]; c {
		case '{', '[':
			depth++
			r.i++
		case '}', ']':
			depth--
			r.i++
		case '"':
			r.i = stringEnd(r.src, r.i)
		case ' ', '\t', '\n', '\r', ',', ':':
			r.i++
			continue // never ends a value
		default:
			for r.i < len(r.src) && !ends(r.src[r.i]) {
				r.i++
			}
		}
		if depth == 0 {
			return
		}
	}
}

func ends(c byte) bool {
	switch c {
	case ',', '}', ']', ':', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}
