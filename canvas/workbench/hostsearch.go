package workbench

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"samkit.dev/host"
	"samkit.dev/sam"
	"samkit.dev/tool"
)

// What files.search returns and looks at, at most.
const (
	defaultMatches = 100
	maxMatches     = 1000
	maxContext     = 10      // lines before and after a match
	maxLine        = 400     // bytes of a line that are shown
	maxSearched    = 2 << 20 // bytes of a file that is searched
	maxQuery       = 1000    // bytes of what is searched for
	maxProgram     = 1000    // instructions of a regular expression, which may all be tried at each character
	maxMatchLine   = 256 << 10
)

type searchIn struct {
	Project sam.ProjectID `json:"project,omitempty"`
	Query
}

// A Query says what [Search] looks for.
type Query struct {
	Text       string `json:"query" jsonschema:"text that a line contains"`
	Regex      bool   `json:"regex,omitempty" jsonschema:"the query is a regular expression (RE2)"`
	IgnoreCase bool   `json:"ignoreCase,omitempty"`
	Glob       string `json:"glob,omitempty" jsonschema:"which files: src/**, **/*.js"`
	Limit      int    `json:"limit,omitempty" jsonschema:"matches; 100 if left out"`
	Context    int    `json:"context,omitempty" jsonschema:"lines shown before and after a match"`
}

// A Match is a line that matched.
type Match struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"`   // from 1
	Column int      `json:"column"` // from 1, in characters, as editors count
	Text   string   `json:"text"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// Found is what [Search] found.
type Found struct {
	Matches []Match  `json:"matches"`
	More    bool     `json:"more,omitempty"`    // than the limit
	Skipped []string `json:"skipped,omitempty"` // too large to be searched, or a line of it
}

// searchFiles looks for a text in every text file that the caller may read.
func searchFiles(ctx context.Context, in searchIn) (Found, error) {
	s, p, err := onProject(ctx, in.Project)
	if err != nil {
		return Found{Matches: []Match{}}, err
	}
	return search(ctx, p, in.Query, func(name string) (bool, error) {
		if !s.sees(ctx, p, name) {
			return false, nil
		}
		return true, s.mayRead(ctx, p, name)
	})
}

// Search looks for a text or a regular expression in the lines of a project's text files, in the
// order of their names. It returns at most 1,000 matches, and leaves out files of more than 2 MiB and
// lines of more than 256 KiB. The error of a query that is none is a [*host.Error] with the code
// [host.Invalid].
func Search(ctx context.Context, p *sam.Project, q Query) (Found, error) {
	return search(ctx, p, q, func(string) (bool, error) { return true, nil })
}

// search is Search in the files that may be read.
func search(ctx context.Context, p *sam.Project, q Query, may func(name string) (bool, error)) (Found, error) {
	out := Found{Matches: []Match{}}
	find, err := finder(q)
	if err != nil {
		return out, err
	}
	limit := defaultMatches
	if q.Limit > 0 {
		limit = min(q.Limit, maxMatches)
	}
	for f, err := range p.Files(ctx, "") {
		if err != nil {
			return out, toHost(err)
		}
		if ok, err := matchGlob(q.Glob, f.Name); err != nil {
			return out, err
		} else if !ok || !sam.IsText(f.Name, nil) {
			continue
		}
		if ok, err := may(f.Name); err != nil {
			return out, err
		} else if !ok {
			continue
		}
		if f.Size > maxSearched {
			out.Skipped = append(out.Skipped, f.Name)
			continue
		}
		data, _, err := contents(ctx, p, f.Name)
		if he := toHost(err); he != nil {
			if isGone(he) {
				continue // since the list was made
			}
			return out, he
		}
		if !sam.IsText(f.Name, data) {
			continue
		}
		if err := out.add(ctx, f.Name, string(data), find, limit, min(max(q.Context, 0), maxContext)); err != nil {
			return out, err
		}
		if out.More {
			break
		}
	}
	return out, ctx.Err()
}

// finder returns what finds the place of the query in a line, -1 if it is not there.
func finder(q Query) (func(string) int, error) {
	text := q.Text
	switch {
	case text == "" || len(text) > maxQuery:
		return nil, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("The query has between 1 and %d bytes.", maxQuery)}
	case !q.Regex && !q.IgnoreCase:
		return func(line string) int { return strings.Index(line, text) }, nil
	case !q.Regex:
		text = regexp.QuoteMeta(text)
	}
	if q.IgnoreCase {
		text = "(?i:" + text + ")"
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	var re *regexp.Regexp
	if err == nil {
		re, err = regexp.Compile(text)
	}
	if err == nil {
		if prog, perr := syntax.Compile(parsed.Simplify()); perr != nil || len(prog.Inst) > maxProgram {
			err = errors.New("it is too large")
		}
	}
	if err != nil {
		return nil, &host.Error{Code: host.Invalid, Message: "The query is no regular expression: " + err.Error(), Hint: "The syntax is RE2's: no look-around, no back-references."}
	}
	return func(line string) int {
		if at := re.FindStringIndex(line); at != nil {
			return at[0]
		}
		return -1
	}, nil
}

// matchGlob reports whether a name is like a glob, "" being like all.
func matchGlob(glob, name string) (bool, error) {
	if glob == "" {
		return true, nil
	}
	ok, err := tool.MatchPath(glob, name)
	if err != nil {
		return false, &host.Error{Code: host.Invalid, Message: fmt.Sprintf("%q is no glob.", glob), Hint: `"*" is any characters within a part of a path, "**" any number of parts: src/**, **/*.js`}
	}
	return ok, nil
}

// add takes the matches of a file, up to the limit of all.
func (out *Found) add(ctx context.Context, name, text string, find func(string) int, limit, around int) error {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(line) > maxMatchLine {
			if n := len(out.Skipped); n == 0 || out.Skipped[n-1] != name {
				out.Skipped = append(out.Skipped, name)
			}
			continue
		}
		at := find(strings.TrimSuffix(line, "\r"))
		if at < 0 {
			continue
		}
		if len(out.Matches) == limit {
			out.More = true
			return nil
		}
		m := Match{Path: name, Line: i + 1, Column: utf8.RuneCountInString(line[:at]) + 1, Text: excerpt(line, at)}
		for _, l := range lines[max(i-around, 0):i] {
			m.Before = append(m.Before, excerpt(l, 0))
		}
		for _, l := range lines[i+1 : min(i+1+around, len(lines))] {
			m.After = append(m.After, excerpt(l, 0))
		}
		out.Matches = append(out.Matches, m)
	}
	return nil
}

// excerpt returns a line, or what surrounds a place of one that is long.
func excerpt(line string, at int) string { return shorten(strings.TrimSuffix(line, "\r"), at, maxLine) }

// shorten returns at most n bytes of a text around a place, and says where it is cut.
func shorten(line string, at, n int) string {
	if len(line) <= n {
		return line
	}
	from := min(max(at-n/4, 0), len(line)-n)
	cut := strings.ToValidUTF8(line[from:from+n], "")
	if from > 0 {
		cut = "…" + cut
	}
	if from+n < len(line) {
		cut += "…"
	}
	return cut
}
