package xan

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func headers(e *Env, args []string) error {
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		t, err := e.readFile(name)
		if err != nil {
			return err
		}
		err = e.lines(func(w *bufio.Writer) {
			for i, n := range t.names {
				if e.has("just-names") || len(args) > 1 {
					fmt.Fprintln(w, n)
				} else {
					fmt.Fprintf(w, "%-3d %s\n", i, n)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// project writes some columns of a table.
func (e *Env) project(t *table, columns []int) error {
	out := e.table(cells(t.names, columns))
	for _, row := range t.rows {
		if err := out.add(cells(row, columns)); err != nil {
			return err
		}
	}
	return e.write(out)
}

func selectColumns(e *Env, args []string) error {
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	if e.has("evaluate") {
		list, err := parseNamed(args[0])
		if err != nil {
			return err
		}
		out := e.table(nil)
		for _, n := range list {
			out.names = append(out.names, n.name)
		}
		for i := range t.rows {
			row := make([]string, len(list))
			for j, n := range list {
				v, err := t.eval(n.node, i)
				if err != nil {
					return err
				}
				row[j] = show(v)
			}
			if err := out.add(row); err != nil {
				return err
			}
		}
		return e.write(out)
	}
	columns, err := t.pick(args[0])
	if err != nil {
		return err
	}
	return e.project(t, columns)
}

func drop(e *Env, args []string) error {
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	columns, err := t.pick(args[0])
	if err != nil {
		return err
	}
	var rest []int
	for i := range t.names {
		if !slices.Contains(columns, i) {
			rest = append(rest, i)
		}
	}
	return e.project(t, rest)
}

func rename(e *Env, args []string) error {
	prefix := e.opt("prefix", "")
	var names []string
	if prefix == "" {
		if len(args) == 0 {
			return usage("no new names are given")
		}
		names, args = splitNames(args[0]), args[1:]
	}
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
	if prefix == "" && len(names) > len(columns) {
		return fmt.Errorf("there are %d names for %d columns", len(names), len(columns))
	}
	for i, c := range columns {
		if prefix != "" {
			t.names[c] = prefix + t.names[c]
		} else if i < len(names) {
			t.names[c] = names[i]
		}
	}
	return e.write(t)
}

func enum(e *Env, args []string) error {
	start, err := e.count("start", 0)
	if err != nil {
		return err
	}
	t, err := e.read(args)
	if err != nil {
		return err
	}
	out := e.table(append([]string{e.opt("column-name", "index")}, t.names...))
	for i, row := range t.rows {
		if err := out.add(append([]string{strconv.Itoa(start + i)}, row...)); err != nil {
			return err
		}
	}
	return e.write(out)
}

// transpose makes rows of columns: the first column has the new names.
func transpose(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil || len(t.names) == 0 {
		return err
	}
	out := e.table([]string{t.names[0]})
	for _, row := range t.rows {
		out.names = append(out.names, row[0])
	}
	for c := 1; c < len(t.names); c++ {
		row := []string{t.names[c]}
		for _, r := range t.rows {
			row = append(row, r[c])
		}
		if err := out.add(row); err != nil {
			return err
		}
	}
	return e.write(out)
}

func fixLengths(e *Env, args []string) error {
	want, err := e.count("length", -1)
	if err != nil {
		return err
	}
	e.opts["ragged"] = []string{""}
	names := e.headless
	e.headless = true // the first line may be short as well
	t, err := e.read(args)
	e.headless = names
	if err != nil {
		return err
	}
	if want < 0 {
		for _, row := range t.rows {
			want = max(want, len(row))
		}
	}
	out := e.table(nil)
	for _, row := range t.rows {
		if want > 1<<16 {
			return errRoom
		}
		for len(row) < want {
			row = append(row, "")
		}
		if err := out.add(row[:want]); err != nil {
			return err
		}
	}
	return e.write(out)
}

func mapColumns(e *Env, args []string) error {
	list, err := parseNamed(args[0])
	if err != nil {
		return err
	}
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	out := e.table(slices.Clone(t.names))
	var places []int
	for _, n := range list {
		i := -1
		if e.has("overwrite") {
			i = out.column(n.name)
		}
		if i < 0 {
			i = len(out.names)
			out.names, out.index = append(out.names, n.name), nil
		}
		places = append(places, i)
	}
rows:
	for i, row := range t.rows {
		made := append(slices.Clone(row), make([]string, len(out.names)-len(row))...)
		for j, n := range list {
			v, err := t.eval(n.node, i)
			if err != nil {
				return err
			}
			if v == nil && e.has("filter") {
				continue rows
			}
			made[places[j]] = show(v)
		}
		if err := out.add(made); err != nil {
			return err
		}
	}
	return e.write(out)
}

func transform(e *Env, args []string) error {
	n, err := parseOne(args[1])
	if err != nil {
		return err
	}
	if n.kind == aColumn && functions()[n.text].call != nil { // transform name upper
		n = &node{kind: aCall, text: n.text, args: []*node{{kind: aHole}}}
	}
	t, err := e.read(args[2:])
	if err != nil {
		return err
	}
	columns, err := t.pick(args[0])
	if err != nil {
		return err
	}
	out := e.table(slices.Clone(t.names))
	if names := e.opt("rename", ""); names != "" {
		for i, name := range splitNames(names) {
			if i < len(columns) {
				out.names[columns[i]] = name
			}
		}
	}
	for i, row := range t.rows {
		made := slices.Clone(row)
		for _, c := range columns {
			s := t.scope(i)
			s.hole = row[c]
			v, err := s.eval(n)
			if err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
			made[c] = show(v)
		}
		if err := out.add(made); err != nil {
			return err
		}
	}
	return e.write(out)
}

func format(e *Env, args []string) error {
	t, err := e.read(args)
	if err != nil {
		return err
	}
	comma := ','
	if d := e.opt("out-delimiter", ""); d != "" {
		c, n := utf8.DecodeRuneInString(strings.ReplaceAll(d, `\t`, "\t"))
		if n != len(strings.ReplaceAll(d, `\t`, "\t")) || c == '"' || c == '\n' || c == '\r' || c == utf8.RuneError {
			return usage("a delimiter is one character, not '%s'", d)
		}
		comma = c
	}
	if e.has("tabs") {
		comma = '\t'
	}
	rows := t.rows
	if !e.headless {
		rows = append([][]string{t.names}, rows...)
	}
	if e.has("quote-always") {
		return e.lines(func(w *bufio.Writer) {
			for _, row := range rows {
				for i, c := range row {
					if i > 0 {
						w.WriteRune(comma)
					}
					w.WriteString(`"` + strings.ReplaceAll(c, `"`, `""`) + `"`)
				}
				w.WriteByte('\n')
			}
		})
	}
	enc := csv.NewWriter(e.Stdout)
	enc.Comma = comma
	return enc.WriteAll(rows)
}

func to(e *Env, args []string) error {
	t, err := e.read(args[1:])
	if err != nil {
		return err
	}
	object := func(w *bufio.Writer, row []string, before, between, after string) {
		w.WriteString("{")
		for i, c := range row {
			if i > 0 {
				w.WriteString(",")
			}
			w.WriteString(before)
			w.Write(quoted(t.names[i]))
			w.WriteString(":" + between)
			w.Write(cellJSON(c))
		}
		w.WriteString(after + "}")
	}
	switch args[0] {
	case "json":
		return e.lines(func(w *bufio.Writer) {
			if len(t.rows) == 0 {
				w.WriteString("[]\n")
				return
			}
			w.WriteString("[\n")
			for i, row := range t.rows {
				w.WriteString("  ")
				object(w, row, "\n    ", " ", "\n  ")
				if i < len(t.rows)-1 {
					w.WriteString(",")
				}
				w.WriteString("\n")
			}
			w.WriteString("]\n")
		})
	case "jsonl", "ndjson":
		return e.lines(func(w *bufio.Writer) {
			for _, row := range t.rows {
				object(w, row, "", "", "")
				w.WriteString("\n")
			}
		})
	case "md", "markdown":
		return e.lines(func(w *bufio.Writer) {
			line := func(cells []string) {
				w.WriteString("|")
				for _, c := range cells {
					c = strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", "<br>")
					w.WriteString(" " + c + " |")
				}
				w.WriteString("\n")
			}
			line(t.names)
			line(slices.Repeat([]string{"---"}, len(t.names)))
			for _, row := range t.rows {
				line(row)
			}
		})
	}
	return usage("unsupported format '%s': json, jsonl, ndjson and md are known", args[0])
}

func quoted(s string) []byte {
	b, _ := json.Marshal(s)
	return b
}

// cellJSON is a cell as a number of JSON where it is written as one.
func cellJSON(c string) []byte {
	if c != "" && (c[0] == '-' || c[0] >= '0' && c[0] <= '9') && json.Valid([]byte(c)) || c == "true" || c == "false" {
		return []byte(c)
	}
	return quoted(c)
}

func from(e *Env, args []string) error {
	format := e.opt("format", "")
	if format != "json" && format != "jsonl" && format != "ndjson" {
		return usage("-f is json, jsonl or ndjson, not '%s'", format)
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	data, err := e.Read(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if int64(len(data)) > e.left/8 {
		return errRoom
	}
	var items []json.RawMessage
	if format == "json" {
		if err := json.Unmarshal(data, &items); err != nil {
			return fmt.Errorf("an array of JSON is expected: %w", err)
		}
	} else {
		for line := range strings.Lines(string(data)) {
			if strings.TrimSpace(line) != "" {
				items = append(items, json.RawMessage(line))
			}
		}
	}
	out := e.table(nil)
	arrays := len(items) > 0 && strings.HasPrefix(strings.TrimSpace(string(items[0])), "[")
	if arrays {
		for i, item := range items {
			var values []any
			if err := decode(item, &values); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
			row := make([]string, len(values))
			for j, v := range values {
				row[j] = jsonCell(v)
			}
			if i == 0 {
				out.names = row
				continue
			}
			row = append(row, make([]string, max(0, len(out.names)-len(row)))...)
			if err := out.add(row[:len(out.names)]); err != nil {
				return err
			}
		}
		return e.write(out)
	}
	seen := map[string]bool{}
	var objects []map[string]any
	for i, item := range items {
		var m map[string]any
		if err := decode(item, &m); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		objects = append(objects, m)
		for name := range m {
			if !seen[name] {
				seen[name] = true
				out.names = append(out.names, name)
			}
		}
	}
	slices.Sort(out.names) // as xan has it
	for _, m := range objects {
		row := make([]string, len(out.names))
		for i, name := range out.names {
			row[i] = jsonCell(m[name])
		}
		if err := out.add(row); err != nil {
			return err
		}
	}
	return e.write(out)
}

func decode(data []byte, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	return dec.Decode(into)
}

func jsonCell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	b, _ := json.Marshal(v)
	return string(b)
}
