package workers

import (
	"context"
	"errors"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
	"samkit.dev/sqlshim"
)

// The verbs of a DB call.
const (
	dbObjects byte = iota + 1 // rows as objects
	dbArrays                  // rows as arrays, and the column names
	dbBatch
	dbExec
	dbDump
)

// A d1Statement is what a D1PreparedStatement carries.
type d1Statement struct {
	binding uint32
	sql     string
	args    []byte // encoded
	count   uint32
	session *d1Session // nil if it comes from the database itself
}

func (s *d1Statement) append(b []byte) []byte {
	b = isolate.AppendString(b, s.sql)
	b = isolate.AppendUint32(b, s.count)
	return append(b, s.args...)
}

// dbObject is a database as D1 has it.
func (in *instance) dbObject(binding uint32) goja.Value {
	rt := in.realm
	return rt.Class("D1Database", 0, nil, func(c *jsrt.Class) {
		untagged(c)
		this := func(f goja.FunctionCall) uint32 { return uint32(jsrt.This[d1Binding](rt.Runtime, f.This)) }
		c.Method("prepare", 1, func(f goja.FunctionCall) goja.Value {
			return in.statementClass().New(&d1Statement{binding: this(f), sql: in.text(f.Argument(0))})
		})
		c.Async("batch", 1, func(f goja.FunctionCall) goja.Value { return in.dbBatch(this(f), nil, f.Argument(0)) })
		c.Method("withSession", 0, func(f goja.FunctionCall) goja.Value { return in.withSession(this(f), f.Argument(0)) })
		c.Async("exec", 1, func(f goja.FunctionCall) goja.Value { return in.dbExec(this(f), f.Argument(0)) })
		c.Async("dump", 0, func(f goja.FunctionCall) goja.Value {
			return in.ask(this(f), []byte{dbDump}, func(rd *isolate.Reader) goja.Value { return rt.Buffer([]byte(rd.String())) })
		})
	}).New(d1Binding(binding))
}

// A d1Binding is what a D1Database carries.
type d1Binding uint32

// untagged makes a class look like those of D1, which are written in JavaScript.
func untagged(c *jsrt.Class) { c.Proto.DeleteSymbol(goja.SymToStringTag) }

func (in *instance) dbExec(binding uint32, script goja.Value) goja.Value {
	rt := in.realm
	if !goja.IsString(script) { // in the words of V8, as D1 trims what it gets
		in.noMethod(script, "query", "trim")
	}
	p := isolate.AppendString([]byte{dbExec}, in.text(script))
	return in.ask(binding, p, func(rd *isolate.Reader) goja.Value {
		res := rt.VM.NewObject()
		jsrt.Data(res, "count", rt.VM.ToValue(rd.Uint32()))
		jsrt.Data(res, "duration", rt.VM.ToValue(rd.Float64()))
		return res
	})
}

// noMethod throws what V8 throws for v.method() where there is no such method.
func (in *instance) noMethod(v goja.Value, variable, method string) {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		in.realm.TypeError("Cannot read properties of %s (reading '%s')", v, method)
	}
	in.realm.TypeError("%s.%s is not a function", variable, method)
}

func (in *instance) statementClass() *jsrt.Class {
	rt := in.realm
	return rt.Class("D1PreparedStatement", 0, nil, func(c *jsrt.Class) {
		untagged(c)
		this := func(v goja.Value) *d1Statement { return jsrt.This[*d1Statement](rt.Runtime, v) }
		c.Method("bind", 0, func(f goja.FunctionCall) goja.Value {
			s := *this(f.This)
			s.args, s.count = nil, uint32(len(f.Arguments))
			for _, a := range f.Arguments {
				s.args = in.appendArg(s.args, a)
			}
			return c.New(&s)
		})
		c.Async("all", 0, func(f goja.FunctionCall) goja.Value { return in.dbAll(this(f.This)) })
		c.Async("run", 0, func(f goja.FunctionCall) goja.Value { return in.dbAll(this(f.This)) })
		c.Async("first", 0, func(f goja.FunctionCall) goja.Value { return in.dbFirst(this(f.This), f.Argument(0)) })
		c.Async("raw", 0, func(f goja.FunctionCall) goja.Value {
			names := jsrt.Option(f.Argument(0), "columnNames")
			return in.dbRaw(this(f.This), names != nil && names.ToBoolean())
		})
	})
}

// appendArg encodes an argument of bind. D1 sends numbers as REAL, booleans as numbers.
func (in *instance) appendArg(b []byte, v goja.Value) []byte {
	refuse := func() {
		panic(in.withCause("D1_TYPE_ERROR: ", "Type '"+typeOf(v)+"' not supported for value '"+in.text(v)+"'", ""))
	}
	switch {
	case goja.IsNull(v):
		return append(b, 'n')
	case goja.IsUndefined(v):
		refuse()
	case goja.IsString(v):
		return isolate.AppendString(append(b, 's'), in.text(v))
	case goja.IsNumber(v):
		return isolate.AppendFloat64(append(b, 'f'), v.ToFloat())
	}
	if yes, ok := v.Export().(bool); ok && !isObject(v) {
		f := 0.0
		if yes {
			f = 1
		}
		return isolate.AppendFloat64(append(b, 'f'), f)
	}
	if !isObject(v) {
		refuse()
	}
	if data, ok := in.realm.Bytes(v); ok {
		switch in.realm.ViewType(v) {
		case "", "Uint8Array", "Uint8ClampedArray", "Int8Array":
		case "DataView": // as in D1, which reads it like an array
			data = nil
		default: // a byte of each element
			data = nil
			in.realm.VM.ForOf(v, func(e goja.Value) bool {
				if goja.IsBigInt(e) {
					in.realm.TypeError("Do not know how to serialize a BigInt")
				}
				data = append(data, byte(e.ToInteger()))
				return true
			})
		}
		return isolate.AppendBytes(append(b, 'b'), data)
	}
	if o := v.(*goja.Object); o.ClassName() == "Array" {
		var data []byte
		in.realm.VM.ForOf(o, func(e goja.Value) bool {
			f := e.ToFloat()
			if !goja.IsNumber(e) || f < 0 || f > 255 || len(data) > 4<<20 {
				refuse()
			}
			data = append(data, byte(f))
			return true
		})
		return isolate.AppendBytes(append(b, 'b'), data)
	}
	refuse()
	return b
}

// withCause is an error whose cause says the same without prefix and suffix.
func (in *instance) withCause(prefix, text, suffix string) *goja.Object {
	e := in.realm.NewError("Error", prefix+text+suffix)
	jsrt.Hide(e, "cause", in.realm.NewError("Error", text))
	return e
}

func isObject(v goja.Value) bool { _, ok := v.(*goja.Object); return ok }

func typeOf(v goja.Value) string {
	switch {
	case goja.IsUndefined(v):
		return "undefined"
	case goja.IsBigInt(v):
		return "bigint"
	case !isObject(v):
		return "symbol"
	}
	if _, ok := goja.AssertFunction(v); ok {
		return "function"
	}
	return "object"
}

func readArgs(rd *isolate.Reader) []any {
	args := make([]any, rd.Count(1))
	for i := range args {
		switch rd.Byte() {
		case 's':
			args[i] = rd.String()
		case 'f':
			args[i] = rd.Float64()
		case 'b':
			args[i] = []byte(rd.String())
		}
	}
	return args
}

// readMeta reads what appendMeta appended, as D1's meta object.
func (in *instance) readMeta(rd *isolate.Reader) goja.Value {
	rt := in.realm
	m := rt.VM.NewObject()
	set := func(name string, v any) { jsrt.Data(m, name, rt.VM.ToValue(v)) }
	set("served_by", "samkit")
	set("duration", rd.Float64())
	set("changes", rd.Float64())
	set("last_row_id", rd.Float64())
	set("changed_db", rd.Bool())
	set("size_after", rd.Float64())
	set("rows_read", rd.Float64())
	set("rows_written", rd.Float64())
	return m
}

// skipMeta passes over what appendMeta appended.
func skipMeta(rd *isolate.Reader) {
	for range 3 {
		rd.Float64()
	}
	rd.Bool()
	for range 3 {
		rd.Float64()
	}
}

func appendMeta(b []byte, r *sqlshim.Result) []byte {
	b = isolate.AppendFloat64(b, float64(r.Duration.Microseconds())/1000)
	b = isolate.AppendFloat64(b, float64(r.Changes))
	b = isolate.AppendFloat64(b, float64(r.LastRowID))
	b = isolate.AppendBool(b, r.ChangedDB)
	b = isolate.AppendFloat64(b, float64(r.SizeAfter))
	b = isolate.AppendFloat64(b, float64(r.RowsRead))
	return isolate.AppendFloat64(b, float64(r.RowsWritten))
}

// result makes a D1Result of rows and meta.
func (in *instance) result(rd *isolate.Reader) goja.Value {
	rows, meta := rd.String(), in.readMeta(rd)
	o := in.realm.VM.NewObject()
	jsrt.Data(o, "success", in.realm.VM.ToValue(true))
	jsrt.Data(o, "meta", meta)
	jsrt.Data(o, "results", in.realm.ParseJSON(rows))
	return o
}

func (in *instance) dbAll(s *d1Statement) goja.Value {
	return in.askDB(s, dbObjects, in.result)
}

func (in *instance) dbFirst(s *d1Statement, column goja.Value) goja.Value {
	return in.askDB(s, dbObjects, func(rd *isolate.Reader) goja.Value {
		rows := in.realm.ParseJSON(rd.String()).(*goja.Object)
		skipMeta(rd)
		row, ok := rows.Get("0").(*goja.Object)
		if !ok {
			return goja.Null()
		}
		if goja.IsUndefined(column) {
			return row
		}
		v := row.Get(column.String())
		if v == nil || goja.IsUndefined(v) {
			panic(in.withCause("D1_COLUMN_NOTFOUND: ", "Column not found", " ("+column.String()+")"))
		}
		return v
	})
}

func (in *instance) dbRaw(s *d1Statement, names bool) goja.Value {
	return in.askDB(s, dbArrays, func(rd *isolate.Reader) goja.Value {
		rows := in.realm.ParseJSON(rd.String()).(*goja.Object)
		skipMeta(rd)
		columns := readStrings(rd)
		if !names {
			return rows
		}
		head := make([]any, len(columns))
		for i, c := range columns {
			head[i] = c
		}
		all := []any{in.realm.VM.NewArray(head...)}
		in.realm.VM.ForOf(rows, func(row goja.Value) bool { all = append(all, row); return true })
		return in.realm.VM.NewArray(all...)
	})
}

func (in *instance) dbBatch(binding uint32, session *d1Session, list goja.Value) goja.Value {
	rt := in.realm
	var stmts []*d1Statement
	if !isObject(list) {
		in.noMethod(list, "statements", "map")
	}
	rt.VM.ForOf(list, func(v goja.Value) bool {
		s, ok := jsrt.Is[*d1Statement](v)
		switch {
		case ok:
		case goja.IsUndefined(v) || goja.IsNull(v):
			in.noMethod(v, "", "statement")
		default:
			panic(in.withCause("D1_ERROR: ", "batch() takes statements that prepare() or bind() returned", ""))
		}
		stmts = append(stmts, s)
		if len(stmts) > 10_000 {
			rt.RangeError("a batch holds at most 10,000 statements")
		}
		return true
	})
	p := isolate.AppendUint32([]byte{dbBatch}, uint32(len(stmts)))
	for _, s := range stmts {
		p = s.append(p)
	}
	return in.ask(binding, p, session.seen(func(rd *isolate.Reader) goja.Value {
		all := make([]any, rd.Count(40))
		for i := range all {
			all[i] = in.result(rd)
		}
		return rt.VM.NewArray(all...)
	}))
}

// performDB answers a DB call.
func performDB(ctx context.Context, db *sqlshim.DB, rd *isolate.Reader, b []byte) ([]byte, error) {
	out, err := performDBVerb(ctx, db, rd, b)
	if err == nil {
		return out, nil
	}
	var failedExec *sqlshim.ExecError
	if errors.As(err, &failedExec) {
		return nil, d1Error("D1_EXEC_ERROR: ", failedExec.Error(), err)
	}
	var failed *sqlshim.Error
	if errors.As(err, &failed) {
		return nil, d1Error("D1_ERROR: ", failed.Error(), err)
	}
	return nil, err
}

// d1Error is an error with a cause, as D1's client makes it.
func d1Error(prefix, text string, err error) *jsError {
	return &jsError{class: "Error", message: prefix + text, cause: text, props: limitProps(err), err: err}
}

func performDBVerb(ctx context.Context, db *sqlshim.DB, rd *isolate.Reader, b []byte) ([]byte, error) {
	switch verb := rd.Byte(); verb {
	case dbObjects, dbArrays:
		sql, args := rd.String(), readArgs(rd)
		if err := rd.Close(); err != nil {
			return nil, err
		}
		format := sqlshim.Objects
		if verb == dbArrays {
			format = sqlshim.Arrays
		}
		at := len(b)
		out, res, err := db.AppendJSON(ctx, isolate.AppendUint32(b, 0), format, sql, args...)
		if err != nil {
			return nil, err
		}
		isolate.AppendUint32(out[:at], uint32(len(out)-at-4))
		out = appendMeta(out, &res)
		if verb == dbArrays {
			out = appendStrings(out, res.Columns)
		}
		return out, nil
	case dbBatch:
		stmts := make([]sqlshim.Stmt, rd.Count(8))
		for i := range stmts {
			stmts[i] = sqlshim.Stmt{SQL: rd.String(), Args: readArgs(rd)}
		}
		if err := rd.Close(); err != nil {
			return nil, err
		}
		results, err := db.BatchJSON(ctx, sqlshim.Objects, stmts...)
		if err != nil {
			return nil, err
		}
		b = isolate.AppendUint32(b, uint32(len(results)))
		for _, r := range results {
			b = isolate.AppendBytes(b, r.JSON)
			b = appendMeta(b, r)
		}
		return b, nil
	case dbExec:
		return dbExecute(ctx, db, rd.String(), b)
	case dbDump:
		w := appendWriter{isolate.AppendUint32(b, 0)}
		if err := db.Dump(ctx, &w); err != nil {
			return nil, err
		}
		isolate.AppendUint32(w.b[:len(b)], uint32(len(w.b)-len(b)-4))
		return w.b, nil
	}
	return nil, &jsError{class: "TypeError", message: "no such DB call"}
}

func dbExecute(ctx context.Context, db *sqlshim.DB, script string, b []byte) ([]byte, error) {
	start := time.Now()
	n, err := db.Exec(ctx, script)
	if err != nil {
		return nil, err
	}
	b = isolate.AppendUint32(b, uint32(n))
	return isolate.AppendFloat64(b, float64(time.Since(start).Microseconds())/1000), nil
}

type appendWriter struct{ b []byte }

func (w *appendWriter) Write(p []byte) (int, error) {
	if len(w.b)+len(p) > isolate.MaxFrame/2 {
		return 0, &jsError{class: "Error", message: "D1_DUMP_ERROR: the database is too large"}
	}
	w.b = append(w.b, p...)
	return len(p), nil
}
