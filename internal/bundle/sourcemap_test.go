package bundle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestOriginal(t *testing.T) {
	// Line 1: column 0 is a.js 0:0, column 5 is b.js 2:3, column 9 nobody's.
	// Line 3: column 4 is b.js 2:3.
	m, err := ParseMap([]byte(`{"version":3,"sources":["a.js","b.js"],"names":[],"mappings":"AAAA,KCEG,I;;IAAA"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line, column int
		want         string
	}{
		{1, 1, "a.js:1:1"}, {1, 5, "a.js:1:1"}, {1, 6, "b.js:3:4"}, {1, 9, "b.js:3:4"}, {1, 10, ""}, {1, 1 << 30, ""},
		{2, 1, ""}, {3, 1, "b.js:3:4"}, {3, 5, "b.js:3:4"}, {3, 99, "b.js:3:4"}, {4, 1, ""}, {0, 1, ""}, {1, 0, ""}, {-1, -1, ""},
	} {
		file, l, c, ok := m.Original(tt.line, tt.column)
		got := ""
		if ok {
			got = fmt.Sprintf("%s:%d:%d", file, l, c)
		}
		if got != tt.want {
			t.Errorf("Original(%d, %d) = %q; want %q", tt.line, tt.column, got, tt.want)
		}
	}
	if _, _, _, ok := (*Map)(nil).Original(1, 1); ok {
		t.Error("a nil map knows an origin")
	}
}

func TestBrokenMaps(t *testing.T) {
	for _, data := range []string{
		``, `[]`, `{}`, `{"version":2,"mappings":""}`, `{"version":3}`,
		`{"version":3,"sources":[],"mappings":"AAAA"}`,           // no such source
		`{"version":3,"sources":["a"],"mappings":"AADA"}`,        // line -1
		`{"version":3,"sources":["a"],"mappings":"D"}`,           // column -1
		`{"version":3,"sources":["a"],"mappings":"AA"}`,          // two fields
		`{"version":3,"sources":["a"],"mappings":"AAAAAA"}`,      // six fields
		`{"version":3,"sources":["a"],"mappings":"g"}`,           // ends early
		`{"version":3,"sources":["a"],"mappings":"ggggggggggA"}`, // too large
		`{"version":3,"sources":["a"],"mappings":"%"}`,
	} {
		if _, err := ParseMap([]byte(data)); err == nil {
			t.Errorf("ParseMap(%s) succeeds", data)
		}
	}
}

// TestMapOfBundle follows every token of a bundle back to its source.
func TestMapOfBundle(t *testing.T) {
	files := map[string]string{
		"functions.js": "import { one } from './one.ts'\nexport default () => marker_a(one('😀', marker_b))\n",
		"one.ts":       "type T = string\n\nexport function one(x: T, y?: unknown) {\n\treturn marker_c + '😀' + marker_d\n}\n",
	}
	out := mustBuild(t, files)
	m, err := ParseMap(out.Map)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, line := range strings.Split(string(out.Code), "\n") {
		for _, mark := range []string{"marker_a", "marker_b", "marker_c", "marker_d"} {
			at := strings.Index(line, mark)
			if at < 0 {
				continue
			}
			found++
			file, l, c, ok := m.Original(i+1, column(line, at))
			if !ok {
				t.Errorf("%s has no origin", mark)
				continue
			}
			source := strings.Split(files[file], "\n")[l-1]
			if want := column(source, strings.Index(source, mark)); c != want {
				t.Errorf("%s is from %s:%d:%d; want column %d", mark, file, l, c, want)
			}
		}
	}
	if found != 4 {
		t.Errorf("found %d marks in\n%s", found, out.Code)
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add("AAAA,KCEG,I;;IAAA", 1, 6)
	f.Add("", 1, 1)
	f.Add("gggggE;////+", 2, 2)
	f.Fuzz(func(t *testing.T, mappings string, line, column int) {
		data, err := json.Marshal(map[string]any{"version": 3, "sources": []string{"a", "b"}, "mappings": mappings})
		if err != nil {
			t.Skip()
		}
		m, err := ParseMap(data)
		if err != nil {
			return
		}
		if file, l, c, ok := m.Original(line, column); ok && (l < 1 || c < 1 || file != "a" && file != "b") {
			t.Errorf("Original(%d, %d) = %s:%d:%d", line, column, file, l, c)
		}
	})
}
