package canvas

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// minRedacted is from how many bytes on a secret is taken out of texts: a shorter one would
// be found everywhere.
const minRedacted = 6

// redactor takes secrets out of texts, as they are and in the forms that code gives them without
// meaning to hide them.
func redactor(byName map[string]string) *strings.Replacer {
	type pair struct{ form, shown string }
	var all []pair
	for name, value := range byName {
		if len(value) < minRedacted {
			continue
		}
		for _, form := range forms(value) {
			all = append(all, pair{form, "[secret " + name + "]"})
		}
	}
	// Of two that begin alike the longer one goes first, or its end would be left.
	slices.SortFunc(all, func(a, b pair) int {
		return cmp.Or(len(b.form)-len(a.form), strings.Compare(a.form, b.form), strings.Compare(a.shown, b.shown))
	})
	var pairs []string
	for _, p := range all {
		pairs = append(pairs, p.form, p.shown)
	}
	return strings.NewReplacer(pairs...)
}

func forms(value string) []string {
	b := []byte(value)
	all := []string{
		value, strings.TrimRight(base64.StdEncoding.EncodeToString(b), "="), base64.RawURLEncoding.EncodeToString(b),
		hex.EncodeToString(b), url.QueryEscape(value), url.PathEscape(value),
	}
	var js strings.Builder
	e := json.NewEncoder(&js)
	e.SetEscapeHTML(false)
	if e.Encode(value) == nil {
		text := strings.TrimSuffix(js.String(), "\n")
		all = append(all, text[1:len(text)-1])
	}
	// A key of many lines may be shown line by line.
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= 24 && line != value {
			all = append(all, line)
		}
	}
	return all
}
