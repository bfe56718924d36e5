package xan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An aggregation is a function of the values that an expression has in some rows.
type aggregation struct {
	name string
	call string
	of   *node // nil for count()
	arg  float64
}

func parseAggregations(src string) ([]aggregation, error) {
	list, err := parseNamed(src)
	if err != nil {
		return nil, err
	}
	var all []aggregation
	for _, n := range list {
		if n.kind != aCall || aggregations()[n.text] == nil {
			return nil, fmt.Errorf("%q is no aggregation, as sum(column) is", n.name)
		}
		a := aggregation{name: n.name, call: n.text}
		if len(n.args) > 0 {
			a.of = n.args[0]
		} else if n.text != "count" {
			return nil, fmt.Errorf("%s needs a column", n.name)
		}
		if len(n.args) > 1 {
			a.arg = n.args[1].num
		}
		all = append(all, a)
	}
	return all, nil
}

// aggregations get the values, without those that are empty.
var aggregations = sync.OnceValue(func() map[string]func(a *aggregation, values []any) any {
	return map[string]func(a *aggregation, values []any) any{
		"count":       func(a *aggregation, v []any) any { return float64(len(v)) }, // of those that are true, for a condition: see run
		"count_empty": func(*aggregation, []any) any { return nil },                 // see run
		"sum":         numbersOf(func(f []float64) any { return sumOf(f) }),
		"mean":        numbersOf(mean), "avg": numbersOf(mean),
		"median": numbersOf(func(f []float64) any { return quantile(f, 0.5) }), "q1": numbersOf(func(f []float64) any { return quantile(f, 0.25) }),
		"q3":  numbersOf(func(f []float64) any { return quantile(f, 0.75) }),
		"var": numbersOf(variance), "stddev": numbersOf(func(f []float64) any { return math.Sqrt(variance(f).(float64)) }),
		"range": numbersOf(func(f []float64) any { return slices.Max(f) - slices.Min(f) }),
		"min":   func(_ *aggregation, v []any) any { return extreme(v, -1) }, "max": func(_ *aggregation, v []any) any { return extreme(v, 1) },
		"lex_first": func(_ *aggregation, v []any) any { return lexical(v, -1) }, "lex_last": func(_ *aggregation, v []any) any { return lexical(v, 1) },
		"first": func(_ *aggregation, v []any) any { x, _ := at(v, 0); return x }, "last": func(_ *aggregation, v []any) any { x, _ := at(v, -1); return x },
		"mode": func(_ *aggregation, v []any) any {
			if t := tally(v); len(t) > 0 {
				return t[0].value
			}
			return nil
		},
		"cardinality": func(_ *aggregation, v []any) any { return float64(len(tally(v))) },
		"values":      func(_ *aggregation, v []any) any { return v },
		"distinct_values": func(_ *aggregation, v []any) any {
			var out []any
			for _, t := range tally(v) {
				out = append(out, t.value)
			}
			slices.SortFunc(out, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			return out
		},
		"all": func(_ *aggregation, v []any) any {
			return !slices.ContainsFunc(v, func(x any) bool { return !truth(x) })
		},
		"any": func(_ *aggregation, v []any) any { return slices.ContainsFunc(v, truth) },
	}
})

func numbersOf(f func([]float64) any) func(*aggregation, []any) any {
	return func(a *aggregation, values []any) any {
		var all []float64
		for _, v := range values {
			n, ok := number(v)
			if !ok {
				return fmt.Errorf("%s: %q is no number", a.name, show(v))
			}
			all = append(all, n)
		}
		if len(all) == 0 {
			if a.call == "sum" {
				return 0.0
			}
			return nil
		}
		return f(all)
	}
}

func sumOf(f []float64) (sum float64) {
	for _, n := range f {
		sum += n
	}
	return sum
}

func mean(f []float64) any { return sumOf(f) / float64(len(f)) }

func variance(f []float64) any {
	m, sum := mean(f).(float64), 0.0
	for _, n := range f {
		sum += (n - m) * (n - m)
	}
	return sum / float64(len(f))
}

// quantile is between two numbers where it falls between them.
func quantile(f []float64, q float64) float64 {
	f = slices.Sorted(slices.Values(f))
	place := q * float64(len(f)-1)
	i := int(place)
	if i+1 >= len(f) {
		return f[i]
	}
	return f[i] + (f[i+1]-f[i])*(place-float64(i))
}

func extreme(values []any, sign int) any {
	var out any
	for i, v := range values {
		if i == 0 || compare(v, out)*sign > 0 {
			out = v
		}
	}
	return out
}

func lexical(values []any, sign int) any {
	var out any
	for i, v := range values {
		if i == 0 || strings.Compare(show(v), show(out))*sign > 0 {
			out = v
		}
	}
	return out
}

// A tallied value is one with how often it is there.
type tallied struct {
	value string
	n     int
}

// tally counts values, the most frequent first, and those as frequent in the order of their text.
func tally(values []any) []tallied {
	places := map[string]int{}
	var all []tallied
	for _, v := range values {
		s := show(v)
		i, ok := places[s]
		if !ok {
			i = len(all)
			places[s] = i
			all = append(all, tallied{value: s})
		}
		all[i].n++
	}
	slices.SortStableFunc(all, func(a, b tallied) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.value, b.value)
	})
	return all
}

// run computes an aggregation of some rows.
func (a *aggregation) run(t *table, rows []int) (string, error) {
	if a.of == nil {
		return strconv.Itoa(len(rows)), nil
	}
	var values []any
	empty := 0
	for _, i := range rows {
		v, err := t.eval(a.of, i)
		if err != nil {
			return "", err
		}
		if b, isBool := v.(bool); v == nil || v == "" || a.call == "count" && isBool && !b {
			empty++
			continue
		}
		values = append(values, v)
	}
	if a.call == "count_empty" {
		return strconv.Itoa(empty), nil
	}
	v := aggregations()[a.call](a, values)
	if err, ok := v.(error); ok {
		return "", err
	}
	return show(v), nil
}

// groups are rows by what some columns have, in the order in which they come first.
func (t *table) groups(columns []int) (order []string, rows map[string][]int) {
	rows = map[string][]int{}
	for i, row := range t.rows {
		k := key(cells(row, columns))
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], i)
	}
	return order, rows
}

func (t *table) all() []int {
	rows := make([]int, len(t.rows))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func aggregate(e *Env, args []string) error {
	list, err := parseAggregations(args[0])
	if err != nil {
		return err
	}
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	out := e.table(nil)
	var row []string
	for _, a := range list {
		cell, err := a.run(t, t.all())
		if err != nil {
			return err
		}
		out.names, row = append(out.names, a.name), append(row, cell)
	}
	if err := out.add(row); err != nil {
		return err
	}
	return e.write(out)
}

func groupBy(e *Env, args []string) error {
	list, err := parseAggregations(args[1])
	if err != nil {
		return err
	}
	t, err := e.read(args[2:])
	if err != nil {
		return err
	}
	columns, err := t.pick(args[0])
	if err != nil {
		return err
	}
	out := e.table(cells(t.names, columns))
	for _, a := range list {
		out.names = append(out.names, a.name)
	}
	order, rows := t.groups(columns)
	for _, k := range order {
		row := cells(t.rows[rows[k][0]], columns)
		for _, a := range list {
			cell, err := a.run(t, rows[k])
			if err != nil {
				return err
			}
			row = append(row, cell)
		}
		if err := out.add(row); err != nil {
			return err
		}
	}
	return e.write(out)
}

func pivot(e *Env, args []string) error {
	list, err := parseAggregations(args[1])
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return usage("pivot takes one aggregation")
	}
	t, err := e.read(args[2:])
	if err != nil {
		return err
	}
	c, err := t.pickOne(args[0])
	if err != nil {
		return err
	}
	var by []int
	if spec := e.opt("groupby", ""); spec != "" {
		if by, err = t.pick(spec); err != nil {
			return err
		}
	} else {
		for i, name := range t.names {
			if i != c && (list[0].of == nil || list[0].of.kind != aColumn || list[0].of.text != name) {
				by = append(by, i)
			}
		}
	}
	out := e.table(cells(t.names, by))
	values, _ := t.groups([]int{c})
	for _, v := range values {
		_, name, _ := strings.Cut(v, ":")
		out.names = append(out.names, name)
	}
	order, rows := t.groups(by)
	if int64(len(order))*int64(len(values)) > e.left/16 {
		return errRoom
	}
	for _, k := range order {
		row := cells(t.rows[rows[k][0]], by)
		of := map[string][]int{}
		for _, i := range rows[k] {
			v := key(t.rows[i][c : c+1])
			of[v] = append(of[v], i)
		}
		for _, v := range values {
			cell := ""
			if len(of[v]) > 0 {
				if cell, err = list[0].run(t, of[v]); err != nil {
					return err
				}
			}
			row = append(row, cell)
		}
		if err := out.add(row); err != nil {
			return err
		}
	}
	return e.write(out)
}

func frequency(e *Env, args []string) error {
	limit, err := e.count("limit", 10)
	if err != nil {
		return err
	}
	if e.has("all") {
		limit = 0
	}
	t, err := e.read(args)
	if err != nil {
		return err
	}
	group := -1
	if spec := e.opt("groupby", ""); spec != "" {
		if group, err = t.pickOne(spec); err != nil {
			return err
		}
	}
	var columns []int
	if spec := e.opt("select", ""); spec != "" {
		if columns, err = t.pick(spec); err != nil {
			return err
		}
	} else {
		for i := range t.names {
			if i != group {
				columns = append(columns, i)
			}
		}
	}
	out := e.table([]string{"field", "value", "count"})
	order, rows := []string{""}, map[string][]int{"": t.all()}
	if group >= 0 {
		out.names = []string{"field", t.names[group], "value", "count"}
		order, rows = t.groups([]int{group})
	}
	for _, c := range columns {
		for _, k := range order {
			var values []any
			for _, i := range rows[k] {
				if cell := t.rows[i][c]; cell != "" || !e.has("no-extra") {
					values = append(values, cell)
				}
			}
			counted := tally(values)
			if limit > 0 {
				counted = counted[:min(limit, len(counted))]
			}
			for _, v := range counted {
				row := []string{t.names[c]}
				if group >= 0 {
					row = append(row, t.rows[rows[k][0]][group])
				}
				if v.value == "" {
					v.value = "<empty>"
				}
				if err := out.add(append(row, v.value, strconv.Itoa(v.n))); err != nil {
					return err
				}
			}
		}
	}
	return e.write(out)
}

// stats tells of each column what it holds. Cells that are empty do not count.
func stats(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	columns, err := t.pick(e.opt("select", ":"))
	if err != nil && len(t.names) > 0 {
		return err
	}
	out := e.table([]string{"field", "type", "count", "count_empty", "min", "max", "mean", "median", "stddev", "cardinality"})
	for _, c := range columns {
		var values []any
		var f []float64
		isInt := true
		for _, row := range t.rows {
			if row[c] == "" {
				continue
			}
			values = append(values, row[c])
			if n, ok := number(row[c]); ok {
				f = append(f, n)
				isInt = isInt && n == math.Trunc(n)
			}
		}
		row := []string{t.names[c], "string", strconv.Itoa(len(values)), strconv.Itoa(len(t.rows) - len(values)), "", "", "", "", ""}
		switch {
		case len(values) == 0:
			row[1] = "empty"
		case len(f) == len(values):
			row[1] = "float"
			if isInt {
				row[1] = "int"
			}
			row[6], row[7], row[8] = show(mean(f)), show(quantile(f, 0.5)), show(math.Sqrt(variance(f).(float64)))
			fallthrough
		default:
			row[4], row[5] = show(extreme(values, -1)), show(extreme(values, 1))
		}
		if err := out.add(append(row, strconv.Itoa(len(tally(values))))); err != nil {
			return err
		}
	}
	return e.write(out)
}
