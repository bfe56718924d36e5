package bundle

import (
	"bytes"
	"encoding/json"
)

// checkJSON is checkNesting for JSON, whose strings are nothing but strings. What is not
// JSON, such as a file with comments, is looked at as source is.
func checkJSON(name string, data []byte) error {
	if !json.Valid(data) {
		return checkNesting(name, data)
	}
	depth, str := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case str && c == '\\':
			i++
		case c == '"':
			str = !str
		case str:
		case c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return &Error{[]Diagnostic{{File: name, Line: 1 + bytes.Count(data[:i], []byte("\n")), Column: 1, Text: "The file is nested too deep"}}}
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}
