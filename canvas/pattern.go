package canvas

import (
	"strings"
)

// A pattern is a path of a _headers or _redirects file: "*" matches anything,
// once, and is called "splat"; ":name" matches one path element.
type pattern struct {
	parts []string // alternating literal, name, literal, …; "*" stands for the splat
}

// parsePattern reads a pattern that starts with a slash.
func parsePattern(s string) (pattern, string) {
	if !strings.HasPrefix(s, "/") {
		return pattern{}, "a path must start with a slash"
	}
	if len(s) > maxRuleLine {
		return pattern{}, "the path is too long"
	}
	var p pattern
	literal, splats := 0, 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == '*':
			if splats++; splats > 1 {
				return pattern{}, "a path may hold one * only"
			}
			p.parts = append(p.parts, s[literal:i], "*")
			i++
			literal = i
		case s[i] == ':' && i > 0 && s[i-1] == '/' && i+1 < len(s) && letter(s[i+1]):
			end := i + 1
			for end < len(s) && (letter(s[end]) || '0' <= s[end] && s[end] <= '9') {
				end++
			}
			p.parts = append(p.parts, s[literal:i], s[i+1:end])
			i, literal = end, end
		default:
			i++
		}
	}
	p.parts = append(p.parts, s[literal:])
	return p, ""
}

func letter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func (p pattern) static() bool { return len(p.parts) == 1 }

// match returns what the names stand for in path, or false. It takes time
// proportional to the product of both lengths at most.
func (p pattern) match(path string) (map[string]string, bool) {
	if p.static() {
		return nil, path == p.parts[0]
	}
	rest, ok := strings.CutPrefix(path, p.parts[0])
	if !ok {
		return nil, false
	}
	vars := make(map[string]string, len(p.parts)/2)
	return vars, matchRest(p.parts[1:], rest, vars)
}

func matchRest(parts []string, path string, vars map[string]string) bool {
	if len(parts) == 0 {
		return path == ""
	}
	name, literal := parts[0], parts[1]
	last := len(parts) == 2
	if name != "*" {
		end := strings.IndexByte(path, '/')
		if end < 0 {
			end = len(path)
		}
		// The element ends where the literal starts; both hold no choice but this one.
		for n := end; n > 0; n-- {
			if strings.HasPrefix(path[n:], literal) && (!last || n+len(literal) == len(path)) && matchRest(parts[2:], path[n+len(literal):], vars) {
				vars[name] = path[:n]
				return true
			}
			if strings.HasPrefix(literal, "/") || literal == "" {
				return false // an element reaches to its slash
			}
		}
		return false
	}
	for n := len(path); n >= 0; n-- {
		if strings.HasPrefix(path[n:], literal) && matchRest(parts[2:], path[n+len(literal):], vars) {
			vars["splat"] = path[:n]
			return true
		}
	}
	return false
}

// expand puts what was matched in the place of ":splat" and ":name".
func expand(s string, vars map[string]string) string {
	if len(vars) == 0 || !strings.Contains(s, ":") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] == ':' && i+1 < len(s) && letter(s[i+1]) {
			end := i + 1
			for end < len(s) && (letter(s[end]) || '0' <= s[end] && s[end] <= '9') {
				end++
			}
			if v, ok := vars[s[i+1:end]]; ok {
				out.WriteString(v)
				i = end
				continue
			}
		}
		out.WriteByte(s[i])
		i++
	}
	return out.String()
}
