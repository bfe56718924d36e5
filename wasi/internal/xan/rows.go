package xan

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func count(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Stdout, len(t.rows))
	return err
}

// limit is -l or -n.
func (e *Env) limit(otherwise int) (int, error) {
	if e.has("n") {
		return e.count("n", otherwise)
	}
	return e.count("limit", otherwise)
}

// some writes a range of rows.
func (e *Env) some(args []string, ends func(n int) (from, to int)) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	n := len(t.rows)
	from, to := ends(n)
	from = min(max(from, 0), n)
	to = min(max(to, from), n)
	t.rows = t.rows[from:to]
	return e.write(t)
}

func head(e *Env, args []string) error {
	l, err := e.limit(10)
	if err != nil {
		return err
	}
	return e.some(args, func(int) (int, int) { return 0, l })
}

func tail(e *Env, args []string) error {
	l, err := e.limit(10)
	if err != nil {
		return err
	}
	return e.some(args, func(n int) (int, int) { return n - l, n })
}

func sliceRows(e *Env, args []string) error {
	start, err := strconv.Atoi(e.opt("start", "0"))
	if err != nil {
		return usage("--start is a number, not '%s'", e.opt("start", ""))
	}
	end, err := e.count("end", -1)
	if err != nil {
		return err
	}
	length, err := e.count("len", -1)
	if err != nil {
		return err
	}
	if e.has("index") {
		if start, err = e.count("index", 0); err != nil {
			return err
		}
		length = 1
	}
	return e.some(args, func(n int) (int, int) {
		from, to := start, n
		if from < 0 { // so many from the end
			from = max(0, from+n)
		}
		if end >= 0 {
			to = end
		}
		if length >= 0 && length < n {
			to = from + length
		}
		return from, to
	})
}

func reverse(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	slices.Reverse(t.rows)
	return e.write(t)
}

func behead(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	data, err := t.csv(false)
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(data)
	return err
}

// random is a source that --seed makes repeatable.
func (e *Env) random() (*rand.Rand, error) {
	if !e.has("seed") {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), nil
	}
	seed, err := e.count("seed", 0)
	return rand.New(rand.NewPCG(uint64(seed), 1)), err
}

func sample(e *Env, args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return usage("usage: xan sample SIZE [FILE]: '%s' is no size", args[0])
	}
	rnd, err := e.random()
	if err != nil {
		return err
	}
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	if n < len(t.rows) {
		chosen := rnd.Perm(len(t.rows))[:n]
		slices.Sort(chosen)
		rows := make([][]string, n)
		for i, c := range chosen {
			rows[i] = t.rows[c]
		}
		t.rows = rows
	}
	return e.write(t)
}

func shuffle(e *Env, args []string) error {
	rnd, err := e.random()
	if err != nil {
		return err
	}
	t, err := e.read(args)
	if err != nil {
		return err
	}
	rnd.Shuffle(len(t.rows), func(i, j int) { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] })
	return e.write(t)
}

// keep writes the rows for which f is true, or false with -v.
func (e *Env) keep(t *table, f func(i int) (bool, error)) error {
	limit, err := e.count("limit", -1)
	if err != nil {
		return err
	}
	invert := e.has("invert-match") || e.has("invert")
	rows := t.rows
	var kept [][]string
	for i, row := range rows {
		if limit >= 0 && len(kept) >= limit {
			break
		}
		ok, err := f(i)
		if err != nil {
			return err
		}
		if ok != invert {
			kept = append(kept, row)
		}
	}
	t.rows = kept
	return e.write(t)
}

func filter(e *Env, args []string) error {
	n, err := parseOne(args[0])
	if err != nil {
		return err
	}
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	return e.keep(t, func(i int) (bool, error) {
		v, err := t.eval(n, i)
		return truth(v), err
	})
}

func search(e *Env, args []string) error {
	text := args[0]
	exact := e.has("exact")
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	var columns []int
	if spec := e.opt("select", ""); spec != "" {
		if columns, err = t.pick(spec); err != nil {
			return err
		}
	} else {
		for i := range t.names {
			columns = append(columns, i)
		}
	}
	if e.has("ignore-case") && !exact {
		text = "(?i)" + text
	}
	re, err := e.regexp(text)
	if err != nil && !exact {
		return err
	}
	return e.keep(t, func(i int) (bool, error) {
		if i%1024 == 0 && e.ctx.Err() != nil {
			return false, e.ctx.Err()
		}
		return slices.ContainsFunc(columns, func(c int) bool {
			cell := t.rows[i][c]
			switch {
			case exact && e.has("ignore-case"):
				return strings.EqualFold(cell, text)
			case exact:
				return cell == text
			}
			return re.MatchString(cell)
		}), nil
	})
}

// byColumns orders rows by some columns.
func byColumns(columns []int, numeric bool) func(a, b []string) int {
	return func(a, b []string) int {
		for _, c := range columns {
			order := strings.Compare(a[c], b[c])
			if numeric {
				order = byNumber(a[c], b[c])
			}
			if order != 0 {
				return order
			}
		}
		return 0
	}
}

// byNumber orders what is no number first.
func byNumber(a, b string) int {
	x, ok := number(a)
	y, ok2 := number(b)
	switch {
	case ok && ok2:
		return cmp.Compare(x, y)
	case ok:
		return 1
	case ok2:
		return -1
	}
	return 0
}

func sortRows(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	var columns []int
	if spec := e.opt("select", ""); spec != "" {
		if columns, err = t.pick(spec); err != nil {
			return err
		}
	} else {
		for i := range t.names {
			columns = append(columns, i)
		}
	}
	order := byColumns(columns, e.has("numeric"))
	sign := 1
	if e.has("reverse") || e.has("r") {
		sign = -1
	}
	slices.SortStableFunc(t.rows, func(a, b []string) int { return sign * order(a, b) })
	if e.has("uniq") {
		t.rows = slices.CompactFunc(t.rows, func(a, b []string) bool { return order(a, b) == 0 })
	}
	return e.write(t)
}

func dedup(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	columns, err := t.pick(e.opt("select", ":"))
	if err != nil && len(t.names) > 0 {
		return err
	}
	last := e.has("keep-last")
	if last {
		slices.Reverse(t.rows)
	}
	seen := map[string]bool{}
	t.rows = slices.DeleteFunc(t.rows, func(row []string) bool {
		k := key(cells(row, columns))
		was := seen[k]
		seen[k] = true
		return was
	})
	if last {
		slices.Reverse(t.rows)
	}
	return e.write(t)
}

func top(e *Env, args []string) error {
	n, err := e.limit(10)
	if err != nil {
		return err
	}
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	c, err := t.pickOne(args[0])
	if err != nil {
		return err
	}
	t.rows = slices.DeleteFunc(t.rows, func(row []string) bool { _, ok := number(row[c]); return !ok })
	sign := -1
	if e.has("reverse") || e.has("r") {
		sign = 1
	}
	slices.SortStableFunc(t.rows, func(a, b []string) int { return sign * byNumber(a[c], b[c]) })
	t.rows = t.rows[:min(n, len(t.rows))]
	return e.write(t)
}

func (e *Env) separator() string {
	if e.has("separator") {
		return e.opt("separator", "|")
	}
	return e.opt("sep", "|")
}

// explode makes a row for each part of some columns, which are split alike.
func explode(e *Env, args []string) error {
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	columns, err := t.pick(args[0])
	if err != nil {
		return err
	}
	names := slices.Clone(t.names)
	for i, name := range splitNames(e.opt("rename", "")) {
		if name != "" && i < len(columns) {
			names[columns[i]] = name
		}
	}
	out := e.table(names)
	for _, row := range t.rows {
		parts := make([][]string, len(columns))
		most := 0
		for i, c := range columns {
			parts[i] = strings.Split(row[c], e.separator())
			most = max(most, len(parts[i]))
		}
		for j := range most {
			made, empty := slices.Clone(row), true
			for i, c := range columns {
				made[c] = ""
				if j < len(parts[i]) {
					made[c] = parts[i][j]
				}
				empty = empty && made[c] == ""
			}
			if empty && e.has("drop-empty") {
				continue
			}
			if err := out.add(made); err != nil {
				return err
			}
		}
	}
	return e.write(out)
}

// implode joins a column of rows that follow each other and are the same otherwise.
func implode(e *Env, args []string) error {
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	c, err := t.pickOne(args[0])
	if err != nil {
		return err
	}
	out := e.table(slices.Clone(t.names))
	if name := e.opt("rename", ""); name != "" {
		out.names[c] = name
	}
	for i := 0; i < len(t.rows); {
		parts := []string{t.rows[i][c]}
		made := slices.Clone(t.rows[i])
		same := func(row []string) bool {
			for k := range row {
				if k != c && row[k] != t.rows[i][k] {
					return false
				}
			}
			return true
		}
		j := i + 1
		for ; j < len(t.rows) && same(t.rows[j]); j++ {
			parts = append(parts, t.rows[j][c])
		}
		made[c] = strings.Join(parts, e.separator())
		if err := out.add(made); err != nil {
			return err
		}
		i = j
	}
	return e.write(out)
}

func flatMap(e *Env, args []string) error {
	list, err := parseNamed(args[0])
	if err != nil {
		return err
	}
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	out := e.table(slices.Clone(t.names))
	for _, n := range list {
		out.names = append(out.names, n.name)
	}
	for i, row := range t.rows {
		made := make([][]any, len(list))
		most := 0
		for j, n := range list {
			v, err := t.eval(n.node, i)
			if err != nil {
				return err
			}
			var ok bool
			if made[j], ok = v.([]any); !ok && v != nil {
				made[j] = []any{v}
			}
			most = max(most, len(made[j]))
		}
		for k := range most {
			r := slices.Clone(row)
			for j := range list {
				cell := ""
				if k < len(made[j]) {
					cell = show(made[j][k])
				}
				r = append(r, cell)
			}
			if err := out.add(r); err != nil {
				return err
			}
		}
	}
	return e.write(out)
}

func view(e *Env, args []string) error {
	n, err := e.limit(-1)
	if err != nil {
		return err
	}
	t, err := e.read(args)
	if err != nil {
		return err
	}
	if n >= 0 {
		t.rows = t.rows[:min(n, len(t.rows))]
	}
	all := append([][]string{t.names}, t.rows...)
	widths := make([]int, len(t.names))
	size := 0
	for _, row := range all {
		for i, c := range row {
			row[i] = strings.NewReplacer("\n", "⏎", "\r", "", "\t", "  ").Replace(c)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, w := range widths {
		size += w + 3
	}
	if int64(size)*int64(len(all)) > e.left {
		return errRoom
	}
	rule := func(w *bufio.Writer, left, middle, right string) {
		w.WriteString(left)
		for i, n := range widths {
			if i > 0 {
				w.WriteString(middle)
			}
			w.WriteString(strings.Repeat("─", n+2))
		}
		w.WriteString(right + "\n")
	}
	return e.lines(func(w *bufio.Writer) {
		rule(w, "┌", "┬", "┐")
		for i, row := range all {
			for j, c := range row {
				w.WriteString("│ " + c + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c)+1))
			}
			w.WriteString("│\n")
			if i == 0 {
				rule(w, "├", "┼", "┤")
			}
		}
		rule(w, "└", "┴", "┘")
	})
}

func flatten(e *Env, args []string) error {
	n, err := e.limit(-1)
	if err != nil {
		return err
	}
	t, err := e.read(args)
	if err != nil {
		return err
	}
	columns, err := t.pick(e.opt("select", ":"))
	if err != nil {
		return err
	}
	width := 0
	for _, c := range columns {
		width = max(width, utf8.RuneCountInString(t.names[c]))
	}
	if n >= 0 {
		t.rows = t.rows[:min(n, len(t.rows))]
	}
	if int64(width)*int64(len(columns))*int64(len(t.rows)) > e.left {
		return errRoom
	}
	return e.lines(func(w *bufio.Writer) {
		for i, row := range t.rows {
			if i > 0 {
				w.WriteString("\n")
			}
			fmt.Fprintf(w, "Row n°%d\n%s\n", i, strings.Repeat("─", 80))
			for _, c := range columns {
				w.WriteString(t.names[c] + strings.Repeat(" ", width-utf8.RuneCountInString(t.names[c])+1) + row[c] + "\n")
			}
		}
	})
}
