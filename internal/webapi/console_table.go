package webapi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// Bounds of a table.
const (
	tableRows    = 100
	tableColumns = 30
	tableCell    = 100 // bytes
)

// A grid is a table of the console: the first two columns are the index and,
// for rows that are no objects, the value.
type grid struct {
	index   string
	rows    []map[string]string
	keys    []string // of the rows
	values  []string
	columns []string
	any     bool // some row has a value
	more    bool
}

// table formats tabular data, as console.table does. What is no object is formatted as by log.
func (r *Realm) table(data, filter goja.Value) (s string) {
	o, ok := data.(*goja.Object)
	if !ok {
		return r.show(data)
	}
	if k := kindOf(o); k == kindProxy {
		if o = proxyTarget(o); o == nil {
			return r.Inspect(data)
		}
	}
	in := &inspector{r: r, maxDepth: 0, values: inspectValues, bytes: inspectBytes, work: inspectWork}
	s = r.Inspect(data)
	r.Try(func() {
		if g := in.grid(o, filter); len(g.keys) > 0 {
			s = g.String()
		}
	})
	return s
}

func (in *inspector) grid(o *goja.Object, filter goja.Value) *grid {
	g := &grid{index: "(index)", columns: in.columnFilter(filter)}
	fixed := len(g.columns) > 0
	switch k := kindOf(o); k {
	case kindMap, kindSet:
		g.index = "(iteration index)"
		if k == kindMap {
			g.columns, fixed = []string{"Key", "Values"}, true
		}
		in.r.walk(o, k, func(key, value goja.Value) bool {
			if len(g.keys) == tableRows {
				g.more = true
				return false
			}
			if k == kindMap {
				g.keys = append(g.keys, strconv.Itoa(len(g.keys)))
				g.rows = append(g.rows, map[string]string{"Key": in.cell(key), "Values": in.cell(value)})
				g.values = append(g.values, "")
			} else {
				in.row(g, strconv.Itoa(len(g.keys)), key, fixed)
			}
			return true
		})
	default:
		for _, key := range in.firstKeys(o, g) {
			if d := in.descriptor(o, in.r.VM.ToValue(key)); d != nil {
				in.row(g, key, d.Get("value"), fixed)
			}
		}
	}
	return g
}

// firstKeys lists the keys of the rows; for a long list only indices, which takes no time in its length.
func (in *inspector) firstKeys(o *goja.Object, g *grid) (keys []string) {
	n := int64(-1)
	switch kindOf(o) {
	case kindArray:
		n = in.r.ownValue(o, "length").ToInteger()
	case kindTypedArray:
		n = in.r.call(typedLength, o).ToInteger()
	}
	if n > tableRows {
		g.more = true
		for i := range tableRows {
			keys = append(keys, strconv.Itoa(i))
		}
		return keys
	}
	keys = in.keys(o)
	if len(keys) > tableRows {
		keys, g.more = keys[:tableRows], true
	}
	return keys
}

func (in *inspector) columnFilter(v goja.Value) (columns []string) {
	o, ok := v.(*goja.Object)
	if !ok || kindOf(o) != kindArray {
		return nil
	}
	n := in.r.ownValue(o, "length").ToInteger()
	for i := range min(n, tableColumns) {
		if v := in.r.ownValue(o, strconv.FormatInt(i, 10)); v != nil && goja.IsString(v) {
			columns = append(columns, v.String())
		}
	}
	return columns
}

// row adds a row: the properties of an object, or a value.
func (in *inspector) row(g *grid, key string, v goja.Value, fixed bool) {
	cells, value := map[string]string{}, ""
	o, ok := v.(*goja.Object)
	if ok {
		if k := kindOf(o); k == kindFunction || k == kindProxy || k == kindBuffer {
			ok = false
		}
	}
	if !ok {
		value, g.any = in.cell(v), true
	} else {
		names := g.columns
		if !fixed {
			names = in.firstKeys(o, &grid{})
		}
		for _, name := range names {
			d := in.descriptor(o, in.r.VM.ToValue(name))
			if d == nil {
				continue
			}
			if !fixed && !slices.Contains(g.columns, name) {
				if len(g.columns) == tableColumns {
					continue
				}
				g.columns = append(g.columns, name)
			}
			cells[name] = cutCell(in.described(d, 0))
		}
	}
	g.keys = append(g.keys, key)
	g.rows = append(g.rows, cells)
	g.values = append(g.values, value)
}

func (in *inspector) cell(v goja.Value) string { return cutCell(in.value(v, 1, true)) }

func cutCell(s string) string { return strings.ReplaceAll(cut(s, tableCell), "\n", " ") }

// String draws the table with box characters.
func (g *grid) String() string {
	head := append([]string{g.index}, g.columns...)
	if g.any {
		head = append(head, "Values")
	}
	lines := make([][]string, len(g.keys))
	for i, key := range g.keys {
		line := []string{cutCell(key)}
		for _, c := range g.columns {
			line = append(line, g.rows[i][c])
		}
		if g.any {
			line = append(line, g.values[i])
		}
		lines[i] = line
	}
	widths := make([]int, len(head))
	for i := range head {
		head[i] = cutCell(head[i])
		widths[i] = utf8.RuneCountInString(head[i]) + 2
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i])+2)
		}
	}
	var b strings.Builder
	rule := func(left, middle, right string) {
		for i, w := range widths {
			if i > 0 {
				left = middle
			}
			b.WriteString(left + strings.Repeat("─", w))
		}
		b.WriteString(right)
	}
	cells := func(line []string) {
		for i, w := range widths {
			b.WriteString("│ " + line[i] + strings.Repeat(" ", w-1-utf8.RuneCountInString(line[i])))
		}
		b.WriteString("│\n")
	}
	rule("┌", "┬", "┐\n")
	cells(head)
	rule("├", "┼", "┤\n")
	for _, line := range lines {
		cells(line)
	}
	rule("└", "┴", "┘")
	if g.more {
		b.WriteString("\n(more rows)")
	}
	return b.String()
}
