package sqlshim

import "github.com/ncruces/go-sqlite3"

// codeName returns the name of a primary result code.
func codeName(c sqlite3.ErrorCode) string {
	if int(c) < len(codeNames) && codeNames[c] != "" {
		return "SQLITE_" + codeNames[c]
	}
	return "SQLITE_ERROR"
}

var codeNames = [...]string{
	sqlite3.ERROR: "ERROR", sqlite3.INTERNAL: "INTERNAL", sqlite3.PERM: "PERM", sqlite3.ABORT: "ABORT",
	sqlite3.BUSY: "BUSY", sqlite3.LOCKED: "LOCKED", sqlite3.NOMEM: "NOMEM", sqlite3.READONLY: "READONLY",
	sqlite3.INTERRUPT: "INTERRUPT", sqlite3.IOERR: "IOERR", sqlite3.CORRUPT: "CORRUPT", sqlite3.NOTFOUND: "NOTFOUND",
	sqlite3.FULL: "FULL", sqlite3.CANTOPEN: "CANTOPEN", sqlite3.PROTOCOL: "PROTOCOL", sqlite3.EMPTY: "EMPTY",
	sqlite3.SCHEMA: "SCHEMA", sqlite3.TOOBIG: "TOOBIG", sqlite3.CONSTRAINT: "CONSTRAINT", sqlite3.MISMATCH: "MISMATCH",
	sqlite3.MISUSE: "MISUSE", sqlite3.NOLFS: "NOLFS", sqlite3.AUTH: "AUTH", sqlite3.FORMAT: "FORMAT",
	sqlite3.RANGE: "RANGE", sqlite3.NOTADB: "NOTADB", sqlite3.NOTICE: "NOTICE", sqlite3.WARNING: "WARNING",
}

// extendedName returns the name of an extended result code that people meet,
// or "".
func extendedName(c sqlite3.ExtendedErrorCode) string {
	var suffix string
	switch c {
	case sqlite3.CONSTRAINT_CHECK:
		suffix = "CHECK"
	case sqlite3.CONSTRAINT_COMMITHOOK:
		suffix = "COMMITHOOK"
	case sqlite3.CONSTRAINT_FOREIGNKEY:
		suffix = "FOREIGNKEY"
	case sqlite3.CONSTRAINT_FUNCTION:
		suffix = "FUNCTION"
	case sqlite3.CONSTRAINT_NOTNULL:
		suffix = "NOTNULL"
	case sqlite3.CONSTRAINT_PRIMARYKEY:
		suffix = "PRIMARYKEY"
	case sqlite3.CONSTRAINT_TRIGGER:
		suffix = "TRIGGER"
	case sqlite3.CONSTRAINT_UNIQUE:
		suffix = "UNIQUE"
	case sqlite3.CONSTRAINT_VTAB:
		suffix = "VTAB"
	case sqlite3.CONSTRAINT_ROWID:
		suffix = "ROWID"
	case sqlite3.CONSTRAINT_PINNED:
		suffix = "PINNED"
	case sqlite3.CONSTRAINT_DATATYPE:
		suffix = "DATATYPE"
	case sqlite3.ABORT_ROLLBACK:
		suffix = "ROLLBACK"
	case sqlite3.BUSY_RECOVERY:
		suffix = "RECOVERY"
	case sqlite3.BUSY_SNAPSHOT:
		suffix = "SNAPSHOT"
	case sqlite3.BUSY_TIMEOUT:
		suffix = "TIMEOUT"
	case sqlite3.CORRUPT_VTAB:
		suffix = "VTAB"
	case sqlite3.CORRUPT_SEQUENCE:
		suffix = "SEQUENCE"
	case sqlite3.CORRUPT_INDEX:
		suffix = "INDEX"
	case sqlite3.IOERR_READ:
		suffix = "READ"
	case sqlite3.IOERR_SHORT_READ:
		suffix = "SHORT_READ"
	case sqlite3.IOERR_WRITE:
		suffix = "WRITE"
	case sqlite3.IOERR_FSYNC:
		suffix = "FSYNC"
	case sqlite3.IOERR_COMMIT_ATOMIC:
		suffix = "COMMIT_ATOMIC"
	case sqlite3.READONLY_DBMOVED:
		suffix = "DBMOVED"
	default:
		return ""
	}
	return codeName(c.Code()) + "_" + suffix
}
