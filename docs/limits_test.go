// Package docs_test keeps the pages of this folder true.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"samkit.dev/host/engine"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// A row is a limit of the page: limit, default, set by, when it is over, from.
type row struct {
	line  int
	cells []string
}

// rows returns the rows of the page's tables that have five columns.
func rows(t *testing.T, name string) (all []row) {
	t.Helper()
	for i, line := range strings.Split(page(t, name), "\n") {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if cells[0] == "limit" || len(cells) == 3 {
			continue
		}
		if len(cells) != 5 {
			t.Errorf("%s:%d: %d columns", name, i+1, len(cells))
			continue
		}
		all = append(all, row{i + 1, cells})
	}
	return all
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every field that sets a limit has a row, and the row has the default that the code has.
func TestLimitFields(t *testing.T) {
	byField := map[string]row{}
	for _, r := range rows(t, "limits.md") {
		field := strings.Trim(r.cells[2], "`")
		if _, twice := byField[field]; !twice {
			byField[field] = r // a limit of bodies stands again where it counts for fetch
		}
	}
	for _, of := range []struct {
		fields   reflect.Type
		defaults map[string]constant.Value
	}{
		{reflect.TypeFor[engine.Limits](), assigned(t, "../internal/workers/pool_limits.go")},
		{reflect.TypeFor[engine.Options](), assigned(t, "../internal/workers/pool.go")},
		{reflect.TypeFor[sam.Limits](), assigned(t, "../sam/errors.go")},
		{reflect.TypeFor[sqlshim.Options](), assigned(t, "../sqlshim/sqlshim.go")},
	} {
		for i := range of.fields.NumField() {
			f := of.fields.Field(i)
			if kind := f.Type.Kind(); kind != reflect.Int && kind != reflect.Int64 {
				continue // no limit
			}
			name := of.fields.String() + "." + f.Name
			r, ok := byField[name]
			switch def, known := of.defaults[f.Name]; {
			case !ok:
				t.Errorf("limits.md does not name %s", name)
			case !known:
				t.Errorf("the default of %s is not found in the code", name)
			case !says(r.cells[1], def):
				t.Errorf("limits.md:%d: the default of %s is %v, not %q", r.line, name, def, r.cells[1])
			}
		}
	}
}

// assigned returns the numbers that a file gives to fields, as a field of a literal, by an
// assignment or by cmp.Or.
func assigned(t *testing.T, file string) map[string]constant.Value {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]constant.Value{}
	note := func(name string, e ast.Expr) {
		if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 2 {
			e = call.Args[1]
		}
		if v := number(e, nil); v != nil {
			values[name] = v
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				note(key.Name, n.Value)
			}
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok {
				note(to.Sel.Name, n.Rhs[0])
			}
		}
		return true
	})
	return values
}

// Numbers whose constant the page names are those of the constant.
func TestLimitConstants(t *testing.T) {
	dirs := map[string]string{"engine": "host/engine", "console": "host/console", "workbench": "canvas/workbench", "github": "sam/github", "script": "tool/script", "taskjs": "tool/task/taskjs"}
	for _, public := range []string{"canvas", "host", "kv", "sam", "sqlshim", "tool"} {
		dirs[public] = public
	}
	known := map[string]map[string]constant.Value{
		// What has no constant of its own.
		"sqlite3":  sqliteLimits(t),
		"outbound": defaultsOfOutbound(t),
	}
	reference := regexp.MustCompile("`([a-z0-9]+)\\.([A-Za-z_]+)`")
	for _, r := range rows(t, "limits.md") {
		for _, m := range reference.FindAllStringSubmatch(r.cells[4], -1) {
			pkg, name := m[1], m[2]
			v := known[pkg][name]
			if v == nil {
				dir := dirs[pkg]
				if dir == "" {
					dir = "internal/" + pkg
				}
				v = constants(t, "../"+dir)[name]
			}
			switch {
			case v == nil:
				t.Errorf("limits.md:%d: there is no %s.%s", r.line, pkg, name)
			case !says(r.cells[0]+" "+r.cells[1], v):
				t.Errorf("limits.md:%d: %s.%s is %v, not %q", r.line, pkg, name, v, r.cells[1])
			}
		}
	}
}

// constants returns the numeric constants that the files of a folder declare on the top level.
func constants(t *testing.T, dir string) map[string]constant.Value {
	t.Helper()
	values := map[string]constant.Value{}
	for _, file := range sources(t, dir, false) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				for i, e := range s.(*ast.ValueSpec).Values {
					if v := number(e, values); v != nil {
						values[s.(*ast.ValueSpec).Names[i].Name] = v
					}
				}
			}
		}
	}
	return values
}

// sqliteLimits returns what package sqlshim lays on a connection.
func sqliteLimits(t *testing.T) map[string]constant.Value {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../sqlshim/conn.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]constant.Value{}
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.SelectorExpr); ok && strings.HasPrefix(key.Sel.Name, "LIMIT_") {
				values[key.Sel.Name] = number(kv.Value, nil)
			}
		}
		return true
	})
	return values
}

// defaultsOfOutbound returns those of its options, which New gives by set(&opts.Head, …) or opts.Live = ….
func defaultsOfOutbound(t *testing.T) map[string]constant.Value {
	t.Helper()
	const file = "../internal/outbound/outbound.go"
	values := assigned(t, file)
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		if to, ok := call.Args[0].(*ast.UnaryExpr); ok {
			if field, ok := to.X.(*ast.SelectorExpr); ok {
				values[field.Sel.Name] = number(call.Args[1], nil)
			}
		}
		return true
	})
	return values
}

// number returns the value of an expression of numbers, times and named numbers, or nil.
func number(e ast.Expr, named map[string]constant.Value) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0)
		}
	case *ast.Ident:
		return named[e.Name]
	case *ast.ParenExpr:
		return number(e.X, named)
	case *ast.SelectorExpr:
		units := map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}
		if unit := units[e.Sel.Name]; unit > 0 {
			return constant.MakeInt64(int64(unit))
		}
	case *ast.BinaryExpr:
		x, y := number(e.X, named), number(e.Y, named)
		switch {
		case x == nil || y == nil:
		case e.Op == token.SHL:
			n, _ := constant.Uint64Val(y)
			return constant.Shift(x, e.Op, uint(n))
		case e.Op == token.MUL, e.Op == token.ADD, e.Op == token.SUB:
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return nil
}

// says reports whether a text has a number, in one of the forms that it may have there.
func says(text string, v constant.Value) bool {
	n, _ := constant.Int64Val(v)
	forms := []string{grouped(n)}
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 10, " KiB"}, {1 << 20, " MiB"}, {1 << 30, " GiB"}, {int64(time.Second), " seconds"}, {int64(time.Hour), " hours"}} {
		if n > 0 && n%unit.size == 0 {
			forms = append(forms, grouped(n/unit.size)+unit.name)
		}
	}
	return slices.ContainsFunc(forms, func(form string) bool {
		return regexp.MustCompile(`(?:^|[^\d,])` + form + `(?:[^\d,]|,\D|$)`).MatchString(text)
	})
}

// grouped writes a number with a comma before each three digits.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// Every code of a limit has a row, and no row a code that nothing gives.
func TestLimitCodes(t *testing.T) {
	given := map[string]bool{}
	quoted := regexp.MustCompile(`"(limit_[a-z_]+)"`)
	for _, file := range sources(t, "..", true) {
		for _, m := range quoted.FindAllStringSubmatch(page(t, file), -1) {
			given[m[1]] = true
		}
	}
	listed, statuses := map[string]bool{}, statuses(t)
	for _, m := range regexp.MustCompile("(?m)^\\| `(limit_[a-z_]+)` \\| (\\S+)").FindAllStringSubmatch(page(t, "limits.md"), -1) {
		listed[m[1]] = true
		if want, ok := statuses[m[1]]; ok && want != m[2] || !ok && m[2] != "exception" {
			t.Errorf("limits.md: the status of %s is %q, not %s", m[1], want, m[2])
		}
	}
	for code := range given {
		if !listed[code] {
			t.Errorf("limits.md does not list %s", code)
		}
	}
	for code := range listed {
		if !given[code] {
			t.Errorf("limits.md lists %s, which is nowhere in the code", code)
		}
	}
	if len(given) < 20 {
		t.Errorf("found %d codes only", len(given))
	}
}

// statuses returns the HTTP status of each code that has one.
func statuses(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../internal/workers/pool_limits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok || len(c.Body) != 1 {
			return true
		}
		if r, ok := c.Body[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			for _, e := range c.List {
				if code, ok := e.(*ast.BasicLit); ok {
					found[strings.Trim(code.Value, `"`)] = number(r.Results[0], nil).ExactString()
				}
			}
		}
		return true
	})
	return found
}

// sources returns the Go files of a folder, or of a tree, without tests and other modules.
func sources(t *testing.T, root string, deep bool) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root:
			_, other := os.Stat(filepath.Join(name, "go.mod"))
			if !deep || other == nil || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
