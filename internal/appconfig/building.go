package appconfig

import (
	"maps"
	"slices"
)

// bundledTypes are the types of rules that mean something here.
var bundledTypes = []string{"Text", "Data", "CompiledWasm", "ESModule", "CommonJS"}

func (r *reader) rules(v value) error {
	r.c.Rules = nil
	return v.each(func(v value) error {
		var rule Rule
		err := v.object(r, map[string]handler{
			"type":        func(r *reader, v value) error { return v.text(&rule.Type) },
			"globs":       func(r *reader, v value) error { return v.texts(&rule.Globs) },
			"fallthrough": func(r *reader, v value) error { return nil }, // the first rule that matches counts, here as well
		})
		switch {
		case err != nil:
			return err
		case rule.Type == "" || len(rule.Globs) == 0:
			return v.wrong("type and globs are needed")
		case !slices.Contains(bundledTypes, rule.Type):
			r.ignore(v.d, "rules of type "+rule.Type)
			return nil
		}
		if err := checkPatterns(rule.Globs, "globs"); err != nil {
			return v.wrong("%v", err)
		}
		r.c.Rules = append(r.c.Rules, rule)
		return nil
	})
}

// names reads an object of strings.
func (v value) names(to *map[string]string) error {
	m, ok := v.v.(map[string]any)
	if !ok {
		return v.wrong("want an object, not %s", kindOf(v.v))
	}
	if len(m) > MaxEntries {
		return v.wrong("%d entries, more than %d", len(m), MaxEntries)
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		var s string
		if err := (value{v.d, v.key + "." + name, m[name]}).text(&s); err != nil {
			return err
		}
		out[name] = s
	}
	*to = out
	return nil
}
