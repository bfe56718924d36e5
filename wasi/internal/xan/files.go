package xan

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

func cat(e *Env, args []string) error {
	sides := false
	if args[0] == "rows" || args[0] == "cols" || args[0] == "columns" {
		sides = args[0] != "rows"
		args = args[1:]
	}
	if len(args) == 0 {
		return usage("no files are given")
	}
	var all []*table
	for _, name := range args {
		t, err := e.readFile(name)
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	out := e.table(nil)
	if sides {
		return e.beside(out, all)
	}
	for i, t := range all {
		if i > 0 && !e.has("pad") && !slices.Equal(t.names, all[0].names) {
			return fmt.Errorf("%s has other columns than %s (-p fills them up)", args[i], args[0])
		}
		for _, name := range t.names {
			if i == 0 || out.column(name) < 0 {
				out.names, out.index = append(out.names, name), nil
			}
		}
	}
	for i, t := range all {
		for _, row := range t.rows {
			if i > 0 && e.has("pad") {
				padded := make([]string, len(out.names))
				for c, cell := range row {
					padded[out.column(t.names[c])] = cell
				}
				row = padded
			} else if len(row) < len(out.names) {
				row = append(slices.Clone(row), make([]string, len(out.names)-len(row))...)
			}
			if err := out.add(row); err != nil {
				return err
			}
		}
	}
	return e.write(out)
}

// beside puts the columns of tables next to each other.
func (e *Env) beside(out *table, all []*table) error {
	most := 0
	for _, t := range all {
		out.names = append(out.names, t.names...)
		most = max(most, len(t.rows))
	}
	for i := range most {
		var row []string
		for _, t := range all {
			if i < len(t.rows) {
				row = append(row, t.rows[i]...)
			} else {
				row = append(row, make([]string, len(t.names))...)
			}
		}
		if err := out.add(row); err != nil {
			return err
		}
	}
	return e.write(out)
}

// join2 joins two files by columns. With three operands the columns have the same names in both.
func join2(e *Env, args []string) error {
	cross := e.has("cross")
	switch {
	case cross && len(args) == 2:
		args = []string{"", args[0], "", args[1]}
	case !cross && len(args) == 3:
		args = []string{args[0], args[1], args[0], args[2]}
	case len(args) != 4:
		return usage("usage: xan join COLUMNS1 FILE1 COLUMNS2 FILE2")
	}
	left, err := e.readFile(args[1])
	if err != nil {
		return err
	}
	right, err := e.readFile(args[3])
	if err != nil {
		return err
	}
	var by, with []int
	if !cross {
		if by, err = left.pick(args[0]); err == nil {
			with, err = right.pick(args[2])
		}
		if err == nil && len(by) != len(with) {
			err = fmt.Errorf("%d columns are joined with %d", len(by), len(with))
		}
		if err != nil {
			return err
		}
	}
	keyOf := func(row []string, columns []int) string {
		k := key(cells(row, columns))
		if e.has("ignore-case") {
			k = strings.ToLower(k)
		}
		return k
	}
	empty := func(row []string, columns []int) bool {
		return len(columns) > 0 && !e.has("nulls") && strings.Join(cells(row, columns), "") == ""
	}
	places := map[string][]int{}
	for i, row := range right.rows {
		if !empty(row, with) {
			k := keyOf(row, with)
			places[k] = append(places[k], i)
		}
	}
	if e.has("semi") || e.has("anti") {
		left.rows = slices.DeleteFunc(left.rows, func(row []string) bool {
			found := !empty(row, by) && len(places[keyOf(row, by)]) > 0
			return found != e.has("semi")
		})
		return e.write(left)
	}
	// Columns that are joined and have the same name are there once.
	var own []int
	for i, name := range right.names {
		at := slices.Index(with, i)
		if at < 0 || left.names[by[at]] != name {
			own = append(own, i)
		}
	}
	out := e.table(append(slices.Clone(left.names), cells(right.names, own)...))
	filler := func(n int) []string { return slices.Repeat([]string{e.opt("default", "")}, n) }
	matched := make([]bool, len(right.rows))
	for _, row := range left.rows {
		var found []int
		if !empty(row, by) {
			found = places[keyOf(row, by)]
		}
		for _, i := range found {
			matched[i] = true
			if err := out.add(slices.Concat(row, cells(right.rows[i], own))); err != nil {
				return err
			}
		}
		if len(found) == 0 && (e.has("left") || e.has("full")) {
			if err := out.add(slices.Concat(row, filler(len(own)))); err != nil {
				return err
			}
		}
	}
	for i, row := range right.rows {
		if matched[i] || !e.has("right") && !e.has("full") {
			continue
		}
		made := filler(len(left.names))
		for j, c := range by {
			if left.names[c] == right.names[with[j]] {
				made[c] = row[with[j]]
			}
		}
		if err := out.add(append(made, cells(row, own)...)); err != nil {
			return err
		}
	}
	return e.write(out)
}

// merge puts sorted files together into a sorted one.
func merge(e *Env, args []string) error {
	out := e.table(nil)
	for i, name := range args {
		t, err := e.readFile(name)
		if err != nil {
			return err
		}
		if i == 0 {
			out.names = t.names
		} else if !slices.Equal(t.names, out.names) {
			return fmt.Errorf("%s has other columns than %s", name, args[0])
		}
		out.rows = append(out.rows, t.rows...)
	}
	columns, err := out.pick(e.opt("sort", e.opt("select", ":")))
	if err != nil && len(out.names) > 0 {
		return err
	}
	order, sign := byColumns(columns, e.has("numeric")), 1
	if e.has("reverse") {
		sign = -1
	}
	slices.SortStableFunc(out.rows, func(a, b []string) int { return sign * order(a, b) })
	return e.write(out)
}

func splitFile(e *Env, args []string) error {
	chunks, err := e.count("chunks", 0)
	if err != nil {
		return err
	}
	size, err := e.count("size", 0)
	if err != nil {
		return err
	}
	if chunks == 0 && size == 0 {
		return usage("-c or -S has to be given")
	}
	t, err := e.read(args)
	if err != nil {
		return err
	}
	if chunks > 0 {
		size = (len(t.rows) + chunks - 1) / chunks
	}
	base := "part"
	if len(args) > 0 && args[0] != "-" {
		base = strings.TrimSuffix(path.Base(args[0]), path.Ext(args[0]))
	}
	n := 0
	for rows := range slices.Chunk(t.rows, max(size, 1)) {
		n++
		if err := e.part(t, rows, fmt.Sprintf("%s_%03d", base, n)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(e.Stdout, "Split into %d parts\n", n)
	return err
}

// part writes some rows as a file.
func (e *Env) part(t *table, rows [][]string, name string) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	data, err := (&table{env: e, names: t.names, rows: rows}).csv(!e.headless)
	if err != nil {
		return err
	}
	name = path.Join(e.opt("output", "."), name+".csv")
	if err := e.Write(name, data); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func partition(e *Env, args []string) error {
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	c, err := t.pickOne(args[0])
	if err != nil {
		return err
	}
	order, rows := t.groups([]int{c})
	used := map[string]bool{}
	for _, k := range order {
		var some [][]string
		for _, i := range rows[k] {
			some = append(some, t.rows[i])
		}
		safe := strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '_'
		}, some[0][c])
		if safe == "" {
			safe = "empty"
		}
		safe = string([]rune(safe)[:min(100, len([]rune(safe)))])
		name := safe
		for i := 2; used[name]; i++ { // others may have become the same
			name = fmt.Sprintf("%s_%d", safe, i)
		}
		used[name] = true
		if err := e.part(t, some, name); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(e.Stdout, "Partitioned into %d files by '%s'\n", len(order), t.names[c])
	return err
}
