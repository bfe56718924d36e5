package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// checkArgs refuses what encoding/json would accept or guess at, and what
// would cost more than a caller may spend.
func checkArgs(where string, args []byte) *Error {
	if len(args) > MaxArgs {
		return &Error{Code: Exhausted, Message: fmt.Sprintf("The arguments of %s have %d bytes, more than %d.", where, len(args), MaxArgs),
			Details: limitDetails("argument_bytes", MaxArgs)}
	}
	if !utf8.Valid(args) || !json.Valid(args) {
		return &Error{Code: Invalid, Message: fmt.Sprintf("The arguments of %s are not JSON.", where)}
	}
	if err := scan(args); err != nil {
		return &Error{Code: Invalid, Message: fmt.Sprintf("%s: %v.", where, err)}
	}
	return nil
}

func limitDetails(limit string, value int) json.RawMessage {
	return fmt.Appendf(nil, `{"limit":%q,"value":%d}`, limit, value)
}

// scan looks for what valid JSON may hold and arguments may not: deep
// nesting, an object with a property twice, absurd numbers.
func scan(src []byte) error {
	var open []*keys // nil for an array
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '{' || c == '[':
			if len(open) == MaxDepth {
				return fmt.Errorf("the arguments are nested more than %d levels deep", MaxDepth)
			}
			var k *keys
			if c == '{' {
				k = new(keys)
			}
			open = append(open, k)
			i++
		case c == '}' || c == ']':
			open = open[:len(open)-1]
			i++
		case c == '"':
			end := stringEnd(src, i)
			after := skipSpace(src, end)
			if after < len(src) && src[after] == ':' {
				if name, twice := open[len(open)-1].add(src[i:end]); twice {
					return fmt.Errorf("the property %s occurs twice", quote(name))
				}
				after++
			}
			i = after
		case c == '-' || c >= '0' && c <= '9':
			end := numberEnd(src, i)
			if _, err := strconv.ParseFloat(string(src[i:end]), 64); err != nil || end-i > 64 || !sane(src[i:end]) {
				return fmt.Errorf("the number %s is out of range", clip(string(src[i:end]), 40))
			}
			i = end
		default:
			i++
		}
	}
	return nil
}

// sane refuses exponents that turn a small text into a huge exact number.
func sane(n []byte) bool {
	at := bytes.IndexAny(n, "eE")
	if at < 0 {
		return true
	}
	exp, err := strconv.Atoi(string(bytes.TrimPrefix(n[at+1:], []byte("+"))))
	return err == nil && exp >= -400 && exp <= 400
}

// keys are the property names of an open object. Few are compared one by one.
type keys struct {
	few  []string
	many map[string]struct{}
}

func (k *keys) add(literal []byte) (name string, twice bool) {
	if bytes.IndexByte(literal, '\\') < 0 {
		name = string(literal[1 : len(literal)-1])
	} else if err := json.Unmarshal(literal, &name); err != nil {
		return string(literal), true
	}
	if k.many != nil {
		_, twice = k.many[name]
		k.many[name] = struct{}{}
		return name, twice
	}
	for _, have := range k.few {
		if have == name {
			return name, true
		}
	}
	k.few = append(k.few, name)
	if len(k.few) > 16 {
		k.many = make(map[string]struct{}, 64)
		for _, have := range k.few {
			k.many[have] = struct{}{}
		}
	}
	return name, false
}

// The following find ends in text that json.Valid accepted.

func stringEnd(src []byte, i int) int {
	for i++; src[i] != '"'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func numberEnd(src []byte, i int) int {
	for i < len(src) {
		switch c := src[i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			i++
		default:
			return i
		}
	}
	return i
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}
