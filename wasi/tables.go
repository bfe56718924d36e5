package wasi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tree [-adf] [-L N] [-I PATTERN] [DIR]...
func treeCommand(ctx context.Context, p *proc) error {
	opts, roots, err := p.getopt("a d f L: I: noreport dirsfirst")
	if err != nil {
		return err
	}
	w := &treeWriter{ctx: ctx, p: p, max: 1 << 30}
	report := true
	for _, o := range opts {
		switch o.name {
		case "a":
			w.all = true
		case "d":
			w.dirsOnly = true
		case "f":
			w.full = true
		case "noreport":
			report = false
		case "dirsfirst":
			w.dirsFirst = true
		case "I":
			w.skip = strings.Split(o.value, "|")
		case "L":
			if w.max, err = strconv.Atoi(o.value); err != nil || w.max < 1 {
				return p.fail(1, "Invalid level, must be greater than 0.")
			}
		}
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	failed := false
	for _, root := range roots {
		info, err := p.tree.info(p.abs(root))
		if err != nil || !info.IsDir() {
			w.out.WriteString(root + "  [error opening dir]\n")
			failed = true
			continue
		}
		w.out.WriteString(root + "\n")
		w.dirs++
		w.list(root, p.abs(root), "", 1)
	}
	if report {
		fmt.Fprintf(&w.out, "\n%d %s", w.dirs, plural(w.dirs, "directory", "directories"))
		if !w.dirsOnly {
			fmt.Fprintf(&w.out, ", %d %s", w.files, plural(w.files, "file", "files"))
		}
		w.out.WriteString("\n")
	}
	if _, err := io.WriteString(p.stdout, w.out.String()); err != nil {
		return written(err)
	}
	if failed {
		return &ExitError{Code: 2}
	}
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

type treeWriter struct {
	ctx                            context.Context
	p                              *proc
	out                            strings.Builder
	all, dirsOnly, full, dirsFirst bool
	max                            int
	skip                           []string
	dirs, files                    int
}

func (w *treeWriter) list(shown, abs, prefix string, level int) {
	if level > w.max || w.ctx.Err() != nil {
		return
	}
	entries, _ := w.p.tree.readDir(abs)
	var kept, files []fs.DirEntry
	for _, e := range entries {
		if !w.all && strings.HasPrefix(e.Name(), ".") || w.dirsOnly && !e.IsDir() || w.skipped(e.Name()) {
			continue
		}
		if w.dirsFirst && !e.IsDir() {
			files = append(files, e)
			continue
		}
		kept = append(kept, e)
	}
	kept = append(kept, files...)
	for i, e := range kept {
		branch, below := "├── ", "│\u00a0\u00a0 "
		if i == len(kept)-1 {
			branch, below = "└── ", "    "
		}
		name := e.Name()
		if w.full {
			name = shown + "/" + name
		}
		w.out.WriteString(prefix + branch + name + "\n")
		if e.IsDir() {
			w.dirs++
			w.list(shown+"/"+e.Name(), path.Join(abs, e.Name()), prefix+below, level+1)
		} else {
			w.files++
		}
	}
}

func (w *treeWriter) skipped(name string) bool {
	for _, pattern := range w.skip {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// column [-t] [-s SEPARATORS] [-o SEPARATOR] [-c WIDTH] [FILE]...
func column(ctx context.Context, p *proc) error {
	opts, names, err := p.getopt("t s: o: c: x n table separator: output-separator:")
	if err != nil {
		return err
	}
	table, sep, between, width := false, "", "  ", 80
	for _, o := range opts {
		switch o.name {
		case "t", "table":
			table = true
		case "s", "separator":
			sep = o.value
		case "o", "output-separator":
			between = o.value
		case "c":
			if width, err = strconv.Atoi(o.value); err != nil || width < 1 {
				return p.fail(1, "invalid columns argument: '%s'", o.value)
			}
		}
	}
	data, err := p.inputs(names)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, line := range lines(data) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		switch {
		case !table:
			rows = append(rows, []string{line})
		case sep == "":
			rows = append(rows, strings.Fields(line))
		default:
			first, _ := utf8.DecodeRuneInString(sep)
			line = strings.Map(func(r rune) rune {
				if strings.ContainsRune(sep, r) {
					return first
				}
				return r
			}, line)
			rows = append(rows, strings.Split(line, string(first)))
		}
	}
	if !table {
		rows, between = columns(rows, width), ""
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	w := bufio.NewWriter(p.stdout)
	for _, row := range rows {
		for i, cell := range row {
			w.WriteString(cell)
			if i == len(row)-1 {
				continue
			}
			for pad := widths[i] - utf8.RuneCountInString(cell); pad > 0; pad-- {
				w.WriteByte(' ')
			}
			w.WriteString(between)
		}
		// One wide cell makes all rows wide: stop when nobody reads them.
		if err := w.WriteByte('\n'); err != nil || ctx.Err() != nil {
			return written(err)
		}
	}
	return written(w.Flush())
}

// columns fills a width with entries, downwards first, as column does without -t: cells
// are as wide as the widest and a tab.
func columns(rows [][]string, width int) [][]string {
	longest := 0
	for _, row := range rows {
		longest = max(longest, utf8.RuneCountInString(row[0]))
	}
	cell := (longest + 8) / 8 * 8
	if cell > width {
		return rows
	}
	across := width / cell
	down := (len(rows) + across - 1) / across
	out := make([][]string, down)
	for i, row := range rows {
		text := row[0]
		if i+down < len(rows) {
			pad := cell - utf8.RuneCountInString(text)
			text += strings.Repeat("\t", (pad+7)/8)
		}
		out[i%down] = append(out[i%down], text)
	}
	for i, row := range out {
		out[i] = []string{strings.Join(row, "")}
	}
	return out
}

// join [-a N] [-v N] [-e STR] [-i] [-t C] [-1 F] [-2 F] [-j F] [-o LIST] FILE1 FILE2
func join(ctx context.Context, p *proc) error {
	opts, names, err := p.getopt("a: v: e: i t: 1: 2: j: o: check-order nocheck-order header")
	if err != nil {
		return err
	}
	if len(names) != 2 {
		return p.usage("[OPTION]... FILE1 FILE2")
	}
	var (
		sep, empty, list string
		fold             bool
		paired           = true
		key              = [2]int{0, 0}
		alone            [2]bool
	)
	for _, o := range opts {
		n, err := strconv.Atoi(o.value)
		switch o.name {
		case "a", "v":
			if n != 1 && n != 2 {
				return p.fail(1, "invalid file number: '%s'", o.value)
			}
			alone[n-1] = true
			paired = paired && o.name == "a"
		case "e":
			empty = o.value
		case "i":
			fold = true
		case "t":
			sep = unescape(o.value)
		case "o":
			list = o.value
		case "1", "2", "j":
			if err != nil || n < 1 {
				return p.fail(1, "invalid field number: '%s'", o.value)
			}
			if o.name != "2" {
				key[0] = n - 1
			}
			if o.name != "1" {
				key[1] = n - 1
			}
		}
	}
	var files [2][][]string
	for i, name := range names {
		data, err := p.input(name)
		if err != nil {
			return p.fail(1, "%s: %v", name, err)
		}
		for _, line := range lines(data) {
			if sep == "" {
				files[i] = append(files[i], strings.Fields(line))
			} else {
				files[i] = append(files[i], strings.Split(line, sep))
			}
		}
	}
	at := func(file int, row []string) string {
		if key[file] >= len(row) {
			return ""
		}
		if fold {
			return strings.ToLower(row[key[file]])
		}
		return row[key[file]]
	}
	glue := sep
	if glue == "" {
		glue = " "
	}
	var b strings.Builder
	emit := func(left, right []string) error {
		var out []string
		field := func(file, i int) string {
			row := [2][]string{left, right}[file]
			if i < len(row) && row[i] != "" {
				return row[i]
			}
			return empty
		}
		keyOf := func() string {
			if left != nil {
				return field(0, key[0])
			}
			return field(1, key[1])
		}
		if list != "" && list != "auto" {
			for item := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
				if item == "0" {
					out = append(out, keyOf())
					continue
				}
				f, n, ok := strings.Cut(item, ".")
				i, err := strconv.Atoi(n)
				if !ok || err != nil || i < 1 || f != "1" && f != "2" {
					return p.fail(1, "invalid field specifier: '%s'", item)
				}
				out = append(out, field(int(f[0]-'1'), i-1))
			}
		} else {
			out = append(out, keyOf())
			for file, row := range [2][]string{left, right} {
				for i, v := range row {
					if i != key[file] {
						out = append(out, v)
					}
				}
			}
		}
		b.WriteString(strings.Join(out, glue) + "\n")
		return nil
	}
	left, right := files[0], files[1]
	for (len(left) > 0 || len(right) > 0) && ctx.Err() == nil {
		switch {
		case len(right) == 0 || len(left) > 0 && at(0, left[0]) < at(1, right[0]):
			if alone[0] {
				err = emit(left[0], nil)
			}
			left = left[1:]
		case len(left) == 0 || at(0, left[0]) > at(1, right[0]):
			if alone[1] {
				err = emit(nil, right[0])
			}
			right = right[1:]
		default:
			k := at(0, left[0])
			l, r := 0, 0
			for l < len(left) && at(0, left[l]) == k {
				l++
			}
			for r < len(right) && at(1, right[r]) == k {
				r++
			}
			for i := 0; i < l && paired; i++ {
				for j := 0; j < r && err == nil; j++ {
					err = emit(left[i], right[j])
					if int64(b.Len()) > p.r.opts.Output {
						j, i = r, l // more than may be written
					}
				}
			}
			left, right = left[l:], right[r:]
		}
		if err != nil {
			return err
		}
	}
	_, err = io.WriteString(p.stdout, b.String())
	return written(err)
}

// unexpand [-a] [-t N] [FILE]... makes tabs of blanks, at the beginning of lines or everywhere.
func unexpand(_ context.Context, p *proc) error {
	opts, names, err := p.getopt("a t: all first-only tabs:")
	if err != nil {
		return err
	}
	all, width := false, 8
	for _, o := range opts {
		switch o.name {
		case "a", "all":
			all = true
		case "first-only":
			all = false
		default:
			if width, err = strconv.Atoi(o.value); err != nil || width < 1 {
				return p.fail(1, "tab size contains invalid character(s): '%s'", o.value)
			}
			all = true
		}
	}
	data, err := p.inputs(names)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(p.stdout)
	at, blanks, leading := 0, 0, true // the column, and the blanks before it that are not written
	for i, c := range data {
		switch {
		case c == ' ' && (leading || all):
			at++
			blanks++
			if at%width == 0 && blanks > 0 {
				if blanks == 1 && !leading && (i+1 == len(data) || data[i+1] != ' ' && data[i+1] != '\t') {
					w.WriteByte(' ')
				} else {
					w.WriteByte('\t')
				}
				blanks = 0
			}
			continue
		case c == '\t':
			at = (at/width + 1) * width
			blanks = 0
			w.WriteByte('\t')
			continue
		}
		for ; blanks > 0; blanks-- {
			w.WriteByte(' ')
		}
		w.WriteByte(c)
		at++
		leading = false
		if c == '\n' {
			at, leading = 0, true
		}
	}
	for ; blanks > 0; blanks-- {
		w.WriteByte(' ')
	}
	return written(w.Flush())
}
