package canvas

import (
	"bytes"
	"encoding/json"
	"strings"
)

// An import map that gives module specifiers such as "/lib/x.js" the app's own
// root. The second entry keeps the first from catching "./x.js", which a
// browser resolves to a URL of the host before it looks into the map.
func rootMap(rel string) map[string]any { return map[string]any{"/": rel, rel: rel} }

// importMapTag is the map as an element, for pages that have none.
func importMapTag(rel string) string {
	data, _ := json.Marshal(map[string]any{"imports": rootMap(rel)})
	return `<script type="importmap">` + string(data) + `</script>`
}

// mergeImportMap adds the root's entries to a page's own map, since not every
// browser takes a second one, and lets its root-absolute addresses start at
// the app's root. A text that is no map is returned as it is, for the browser
// to complain about.
func mergeImportMap(text []byte, rel string) []byte {
	var m map[string]any
	if json.Unmarshal(text, &m) != nil || m == nil {
		return text
	}
	imports, ok := m["imports"].(map[string]any)
	if !ok {
		if m["imports"] != nil {
			return text
		}
		imports = map[string]any{}
	}
	relocate(imports, rel)
	for k, v := range rootMap(rel) {
		if _, has := imports[k]; !has {
			imports[k] = v
		}
	}
	m["imports"] = imports
	if scopes, ok := m["scopes"].(map[string]any); ok {
		moved := map[string]any{}
		for scope, v := range scopes {
			if inner, ok := v.(map[string]any); ok {
				relocate(inner, rel)
			}
			if rootAbsolute(scope) {
				scope = rel + scope[1:]
			}
			moved[scope] = v
		}
		m["scopes"] = moved
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out) // escapes "<", so that the text cannot end its element
	if enc.Encode(m) != nil {
		return text
	}
	// The lines below keep their numbers.
	return append(bytes.TrimSpace(out.Bytes()), bytes.Repeat([]byte("\n"), bytes.Count(text, []byte("\n")))...)
}

func relocate(addresses map[string]any, rel string) {
	for k, v := range addresses {
		if s, ok := v.(string); ok && rootAbsolute(strings.TrimSpace(s)) {
			addresses[k] = rel + strings.TrimSpace(s)[1:]
		}
	}
}
