package sqlshim

import (
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// authorize decides what the SQL of an app may do. It runs while a statement
// is prepared. The lists are those of workerd, which D1 runs on.
func (c *conn) authorize(action sqlite3.AuthorizerActionCode, name3, name4, schema, inner string) sqlite3.AuthorizerReturnCode {
	if c.trusted {
		return sqlite3.AUTH_OK
	}
	c.uses.note(action, name3, name4, inner)
	switch action {
	case sqlite3.AUTH_TRANSACTION, sqlite3.AUTH_SAVEPOINT:
		c.refused = textTransaction
		return sqlite3.AUTH_DENY
	case sqlite3.AUTH_ATTACH, sqlite3.AUTH_DETACH,
		sqlite3.AUTH_CREATE_TEMP_INDEX, sqlite3.AUTH_CREATE_TEMP_TABLE, sqlite3.AUTH_CREATE_TEMP_TRIGGER, sqlite3.AUTH_CREATE_TEMP_VIEW,
		sqlite3.AUTH_DROP_TEMP_INDEX, sqlite3.AUTH_DROP_TEMP_TABLE, sqlite3.AUTH_DROP_TEMP_TRIGGER, sqlite3.AUTH_DROP_TEMP_VIEW:
		return sqlite3.AUTH_DENY
	case sqlite3.AUTH_CREATE_VTABLE:
		switch strings.ToLower(name4) {
		case "fts5", "fts5vocab", "rtree", "rtree_i32":
		default:
			return sqlite3.AUTH_DENY
		}
	case sqlite3.AUTH_PRAGMA:
		if c.pragma && strings.EqualFold(name3, "page_size") { // which rtree needs, but not the app
			return sqlite3.AUTH_DENY
		}
		if !allowedPragma(strings.ToLower(name3), name4) {
			return sqlite3.AUTH_DENY
		}
		if strings.EqualFold(name3, "foreign_keys") && name4 != "" {
			return sqlite3.AUTH_IGNORE // D1 is always in a transaction, where it does nothing
		}
	case sqlite3.AUTH_FUNCTION:
		if !allowedFunction(strings.ToLower(name4)) {
			return sqlite3.AUTH_DENY
		}
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_READ:
		if strings.EqualFold(name3, "generate_series") {
			c.missing = "no such table: " + name3
			return sqlite3.AUTH_DENY
		}
	}
	if reserved(name3) || reserved(name4) {
		return sqlite3.AUTH_DENY
	}
	return sqlite3.AUTH_OK
}

// reserved reports whether a name belongs to the platform.
func reserved(name string) bool {
	return strings.HasPrefix(name, "_cf_")
}

// allowedPragma reports whether a pragma may run. Most of them take an
// argument; the first two are for reading only.
func allowedPragma(name, arg string) bool {
	switch name {
	case "data_version", "page_size":
		return arg == ""
	case "case_sensitive_like", "foreign_keys", "defer_foreign_keys", "ignore_check_constraints",
		"legacy_alter_table", "recursive_triggers", "reverse_unordered_selects",
		"foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
		"quick_check", "optimize", "table_list", "table_info", "table_xinfo":
		return true
	}
	return false
}

// allowedFunction reports whether a function may be called.
func allowedFunction(name string) bool {
	switch name {
	case // https://www.sqlite.org/lang_corefunc.html
		"abs", "changes", "char", "coalesce", "concat", "concat_ws", "format", "glob", "hex", "ifnull", "iif", "if", "instr",
		"last_insert_rowid", "length", "like", "likelihood", "likely", "lower", "ltrim", "nullif", "octet_length", "printf",
		"quote", "random", "randomblob", "replace", "round", "rtrim", "sign", "substr", "substring", "total_changes",
		"trim", "typeof", "unhex", "unicode", "unlikely", "upper", "zeroblob",
		// https://www.sqlite.org/lang_datefunc.html
		"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
		"current_date", "current_time", "current_timestamp",
		// https://www.sqlite.org/lang_aggfunc.html
		"avg", "count", "group_concat", "max", "min", "string_agg", "sum", "total",
		// https://www.sqlite.org/windowfunctions.html
		"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead",
		"first_value", "last_value", "nth_value",
		// https://www.sqlite.org/lang_mathfunc.html
		"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "degrees", "exp", "floor", "ln",
		"log", "log2", "mod", "pi", "pow", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
		// https://www.sqlite.org/json1.html
		"json", "json_array", "json_array_length", "json_extract", "->", "->>", "json_insert", "json_object", "json_patch",
		"json_remove", "json_replace", "json_set", "json_type", "json_valid", "json_quote", "json_group_array",
		"json_group_object", "json_each", "json_tree",
		"jsonb", "jsonb_array", "jsonb_extract", "jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove", "jsonb_replace",
		"jsonb_set", "jsonb_group_array", "jsonb_group_object",
		// https://www.sqlite.org/fts5.html
		"match", "highlight", "bm25", "snippet",
		// what ALTER TABLE calls inside
		"sqlite_rename_column", "sqlite_rename_table", "sqlite_rename_test", "sqlite_drop_column", "sqlite_rename_quotefix":
		return true
	}
	return false
}

// inD1 reports whether the SQLite of D1 has a function that may not be called,
// or does not know it.
func inD1(name string) bool {
	name = strings.ToLower(name)
	for _, prefix := range [...]string{"base64", "base85", "decimal", "ieee754", "json_array_insert", "jsonb_array_insert", "regexp", "soundex", "unistr"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}
