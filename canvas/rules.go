package canvas

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Limits of _headers and _redirects, those of Workers assets.
const (
	maxRuleLine    = 2000
	maxHeaderRules = 100
	maxRedirects   = 2100
	maxDynamic     = 100
)

// A headerRule adds and removes headers of the files that it matches.
type headerRule struct {
	pattern
	set   [][2]string
	unset []string
}

// A redirectRule sends a path elsewhere. Status 200 answers with another file.
type redirectRule struct {
	pattern
	to     string
	status int
}

// parseHeaders reads a _headers file. Lines it cannot use are reported and skipped.
func parseHeaders(text string) (rules []headerRule, problems []string) {
	var cur *headerRule
	report := func(line int, format string, args ...any) {
		if len(problems) < 20 {
			problems = append(problems, fmt.Sprintf("_headers:%d: ", line)+fmt.Sprintf(format, args...))
		}
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case len(line) > maxRuleLine:
			report(n, "the line is longer than %d bytes", maxRuleLine)
		case line[0] != ' ' && line[0] != '\t':
			cur = nil
			p, problem := parsePattern(trimmed)
			switch {
			case problem != "":
				report(n, "%s", problem)
			case len(rules) == maxHeaderRules:
				report(n, "only %d rules are used", maxHeaderRules)
			default:
				rules = append(rules, headerRule{pattern: p})
				cur = &rules[len(rules)-1]
			}
		case cur == nil:
			report(n, "a header stands below no path")
		default:
			if problem := cur.add(trimmed); problem != "" {
				report(n, "%s", problem)
			}
		}
	}
	return rules, problems
}

func (r *headerRule) add(line string) (problem string) {
	if name, ok := strings.CutPrefix(line, "!"); ok {
		r.unset = append(r.unset, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		return ""
	}
	name, value, ok := strings.Cut(line, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case !ok || !httpguts.ValidHeaderFieldName(name):
		return "want \"Name: value\" or \"! Name\""
	case !httpguts.ValidHeaderFieldValue(value):
		return "the value of " + name + " holds characters that a header may not"
	case !responseHeader(name) || name == "Location":
		return name + " may not be set by an app"
	}
	r.set = append(r.set, [2]string{name, value})
	return ""
}

// apply writes what the rules say about a file at path, which starts with a slash.
func applyHeaders(rules []headerRule, path string, h http.Header) {
	for i := range rules {
		vars, ok := rules[i].match(path)
		if !ok {
			continue
		}
		for _, name := range rules[i].unset {
			if responseHeader(name) {
				h.Del(name)
			}
		}
		for _, kv := range rules[i].set {
			if v := expand(kv[1], vars); httpguts.ValidHeaderFieldValue(v) {
				h[kv[0]] = []string{v}
			}
		}
	}
}

// parseRedirects reads a _redirects file. Lines it cannot use are reported and skipped.
func parseRedirects(text string) (rules []redirectRule, problems []string) {
	report := func(line int, format string, args ...any) {
		if len(problems) < 20 {
			problems = append(problems, fmt.Sprintf("_redirects:%d: ", line)+fmt.Sprintf(format, args...))
		}
	}
	n, dynamic := 0, 0
	for line := range strings.Lines(text) {
		n++
		if i := strings.Index(line, " #"); i >= 0 {
			line = line[:i]
		}
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		r, problem := parseRedirect(line, fields)
		if problem == "" && !r.static() {
			if dynamic++; dynamic > maxDynamic {
				problem = fmt.Sprintf("only %d rules with * or :name are used", maxDynamic)
			}
		}
		if problem == "" && len(rules) == maxRedirects {
			problem = fmt.Sprintf("only %d rules are used", maxRedirects)
		}
		if problem != "" {
			report(n, "%s", problem)
			continue
		}
		rules = append(rules, r)
	}
	return rules, problems
}

func parseRedirect(line string, fields []string) (r redirectRule, problem string) {
	if len(line) > maxRuleLine {
		return r, fmt.Sprintf("the line is longer than %d bytes", maxRuleLine)
	}
	if len(fields) < 2 || len(fields) > 3 {
		return r, "want \"/from /to [status]\""
	}
	r.status = http.StatusFound
	if len(fields) == 3 {
		code, err := strconv.Atoi(fields[2])
		switch {
		case err == nil && (code == 200 || code == 301 || code == 302 || code == 303 || code == 307 || code == 308):
			r.status = code
		default:
			return r, fields[2] + " is no status of a redirect"
		}
	}
	if r.pattern, problem = parsePattern(fields[0]); problem != "" {
		return r, problem
	}
	r.to = fields[1]
	if rootAbsolute(r.to) {
		return r, ""
	}
	u, err := url.Parse(r.to)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || r.status == http.StatusOK {
		return r, "the target must start with a slash, or with https:// unless the status is 200"
	}
	return r, ""
}

// redirect returns the first rule for a path that starts with a slash, and its target.
func redirect(rules []redirectRule, path string) (to string, status int, ok bool) {
	for i := range rules {
		if vars, ok := rules[i].match(path); ok {
			for name, v := range vars { // what was matched is decoded text
				vars[name] = (&url.URL{Path: v}).EscapedPath()
				if strings.HasPrefix(v, "/") {
					vars[name] = strings.TrimLeft(vars[name], "/")
				}
			}
			return expand(rules[i].to, vars), rules[i].status, true
		}
	}
	return "", 0, false
}
