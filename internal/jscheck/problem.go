package jscheck

import (
	"cmp"
	"fmt"
)

// A Problem is something that a script may not have. One is enough for the script not to run.
type Problem struct {
	Category     Category
	Name         string // "fetch", ".constructor", "while"; "" if the script is no script
	Instead      string // what to use; "" if nothing replaces it
	Text         string // what is wrong, where there is no Name
	Line, Column int    // from 1 in the source as written, columns in UTF-16 units as editors count
}

// String says it for the script's author: place, name, category, alternative.
func (p Problem) String() string {
	what := p.Text
	switch {
	case p.Category == Unknown:
		what = fmt.Sprintf("%s is no global of scripts (%s)", p.Name, p.Category)
	case p.Name != "":
		what = fmt.Sprintf("%s is blocked (%s)", p.Name, p.Category)
	}
	if p.Name != "" || p.Instead != "" {
		what += ": " + cmp.Or(p.Instead, "no replacement needed")
	}
	return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, what)
}

func comparePlaces(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Name, b.Name))
}
