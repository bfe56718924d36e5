package appconfig

import "bytes"

// tooDeepJSON reports where JSON with comments nests brackets beyond maxDepth,
// or -1.
func tooDeepJSON(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end := stringEnd(data, i, false)
			if end < 0 {
				return -1 // the parser will find it
			}
			i = end - 1
		case '/':
			end := -1
			if bytes.HasPrefix(data[i:], []byte("//")) {
				end = bytes.IndexByte(data[i:], '\n')
			} else if bytes.HasPrefix(data[i:], []byte("/*")) {
				if end = bytes.Index(data[i+2:], []byte("*/")); end >= 0 {
					end += 3
				}
			}
			if end < 0 {
				return -1
			}
			i += end
		case '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return -1
}

// tooDeep reports where TOML nests brackets or dotted keys beyond maxDepth,
// or -1. The parser takes time and memory quadratic in either.
func tooDeep(data []byte) int {
	depth, dots := 0, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '#':
			n := bytes.IndexByte(data[i:], '\n')
			if n < 0 {
				return -1
			}
			i += n
			dots = 0
		case '"', '\'':
			end := stringEnd(data, i, true)
			if end < 0 {
				return -1 // the parser will find it
			}
			i = end - 1
		case '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
			dots = 0
		case ']', '}':
			depth = max(depth-1, 0)
			dots = 0
		case '.':
			if dots++; dots > maxDepth {
				return i
			}
		case '=', ',', '\n':
			dots = 0
		}
	}
	return -1
}

// stringEnd returns the index after the string that begins at i, or -1. Of
// TOML it may have three quotes and several lines.
func stringEnd(data []byte, i int, toml bool) int {
	quote := data[i]
	long := bytes.Repeat([]byte{quote}, 3)
	if toml && bytes.HasPrefix(data[i:], long) {
		for j := i + 3; j < len(data); j++ {
			if data[j] == '\\' && quote == '"' {
				j++
			} else if bytes.HasPrefix(data[j:], long) {
				for j += 3; j < len(data) && data[j] == quote; j++ { // up to two belong to the text
				}
				return j
			}
		}
		return -1
	}
	for j := i + 1; j < len(data) && data[j] != '\n'; j++ {
		if data[j] == '\\' && quote == '"' {
			j++
		} else if data[j] == quote {
			return j + 1
		}
	}
	return -1
}
