package sqlshim

import (
	"errors"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"samkit.dev/sam"
)

// An Error is an error of SQLite or of the rules of D1.
type Error struct {
	Code     string // "SQLITE_CONSTRAINT"; "" if a rule of D1 was broken
	Extended string // "SQLITE_CONSTRAINT_PRIMARYKEY"; "" if there is no more to say than Code
	Offset   int    // of the offending token in bytes of the statement, or -1
	Text     string // "UNIQUE constraint failed: p.id"; it names nothing of the host
	Err      error  // what Go knows of the cause, or nil: context.DeadlineExceeded, sam.ErrConflict, a *sam.LimitError …
}

// Error returns what D1 shows after its "D1_ERROR: ", for example
//
//	UNIQUE constraint failed: p.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)
func (e *Error) Error() string {
	if e.Code == "" {
		return e.Text
	}
	var b strings.Builder
	b.WriteString(e.Text)
	if e.Offset >= 0 {
		b.WriteString(" at offset ")
		b.WriteString(strconv.Itoa(e.Offset))
	}
	b.WriteString(": ")
	b.WriteString(e.Code)
	if e.Extended != "" {
		b.WriteString(" (extended: ")
		b.WriteString(e.Extended)
		b.WriteString(")")
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// An ExecError is a failed [DB.Exec]. As in D1 the line is always the first
// one, whichever failed.
type ExecError struct {
	Line string // the first line of the script
	Err  error
}

// Error returns what D1 shows after its "D1_EXEC_ERROR: ".
func (e *ExecError) Error() string { return "Error in line 1: " + e.Line + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *ExecError) Unwrap() error { return e.Err }

// The rules of D1, in the words of workerd and miniflare.
const (
	textNoSQL       = "No SQL statements detected."
	textNoStatement = "SQL code did not contain a statement."
	textBindings    = "Wrong number of parameter bindings for SQL query."
	textPrelude     = "When executing multiple SQL statements in a single call, only the last statement can have parameters."
	textTransaction = "To execute a transaction, please use the state.storage.transaction() or state.storage.transactionSync() APIs " +
		"instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements. The JavaScript API is safer because it will automatically " +
		"roll back on exceptions, and because it interacts correctly with Durable Objects' automatic atomic write coalescing."
)

func rule(text string) error { return &Error{Offset: -1, Text: text} }

// sqliteError turns an error of the driver into an [*Error]. query is what was
// being prepared, or "".
func sqliteError(err error, query string) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var code sqlite3.ExtendedErrorCode
	if !errors.As(err, &code) {
		return &Error{Code: "SQLITE_ERROR", Offset: -1, Text: "internal error", Err: err}
	}
	e := &Error{Code: codeName(code.Code()), Offset: -1, Text: message(err, code)}
	if name := extendedName(code); name != "" {
		e.Extended = name
	}
	var full *sqlite3.Error
	if errors.As(err, &full) {
		if at := full.SQL(); at != "" && query != "" {
			e.Offset = len(query) - len(at)
		}
		e.Err = errors.Unwrap(full)
	}
	return e
}

// message returns SQLite's own words, without what the driver puts around
// them and without the system's error, which may name files.
func message(err error, code sqlite3.ExtendedErrorCode) string {
	std := code.Error()
	text := err.Error()
	var full *sqlite3.Error
	if errors.As(err, &full) {
		text = full.Error()
		if sys := errors.Unwrap(full); sys != nil {
			text = strings.TrimSuffix(text, ": "+sys.Error())
		}
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, std), ": ")
	switch {
	case code.Code() == sqlite3.AUTH && text == "":
		text = "not authorized" // at run time SQLite has only its general words
	case text == "":
		text = strings.TrimPrefix(std, "sqlite3: ")
	}
	return text
}

// conflict is the error of a database that someone else has written.
func conflict() *Error {
	return &Error{
		Code: "SQLITE_BUSY", Extended: "SQLITE_BUSY_SNAPSHOT", Offset: -1,
		Text: "the database has been changed by another owner; open it again",
		Err:  sam.ErrConflict,
	}
}

// asInD1 gives an error the words of D1's SQLite, which lacks some functions of
// ours and has load_extension.
func asInD1(e *Error) *Error {
	if name, ok := strings.CutPrefix(e.Text, "not authorized to use function: "); ok && !inD1(name) {
		e.Text = "no such function: " + name
	}
	if strings.EqualFold(e.Text, "no such function: load_extension") {
		e.Text, e.Offset = "not authorized", -1
	}
	return e
}
