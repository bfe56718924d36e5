package sqlshim

import (
	"bytes"

	"github.com/ncruces/go-sqlite3"
)

// registerFunctions replaces built-in functions that take time quadratic in
// the size of their arguments. With values of 4 MiB one call of them could run
// for hours, and SQLite can only be interrupted between calls.
func registerFunctions(db *sqlite3.Conn) error {
	const pure = sqlite3.DETERMINISTIC | sqlite3.INNOCUOUS
	for _, f := range []struct {
		name string
		args int
		fn   sqlite3.ScalarFunction
	}{
		{"instr", 2, instr},
		{"replace", 3, replace},
		{"trim", 1, trim(true, true)}, {"trim", 2, trim(true, true)},
		{"ltrim", 1, trim(true, false)}, {"ltrim", 2, trim(true, false)},
		{"rtrim", 1, trim(false, true)}, {"rtrim", 2, trim(false, true)},
	} {
		if err := db.CreateFunction(f.name, f.args, pure, f.fn); err != nil {
			return err
		}
	}
	return nil
}

// anyNull reports whether one of the arguments is NULL, so that the result is too.
func anyNull(args []sqlite3.Value) bool {
	for _, a := range args {
		if a.Type() == sqlite3.NULL {
			return true
		}
	}
	return false
}

// instr is the position of a needle from 1, in characters or, if both are
// BLOBs, in bytes; 0 if there is none.
func instr(ctx sqlite3.Context, args ...sqlite3.Value) {
	if anyNull(args) {
		return
	}
	if args[0].Type() == sqlite3.BLOB && args[1].Type() == sqlite3.BLOB {
		ctx.ResultInt(bytes.Index(args[0].RawBlob(), args[1].RawBlob()) + 1)
		return
	}
	// Reading one may move the other.
	hay, needle := args[0].Blob(nil), args[1].Blob(nil)
	if args[0].Type() != sqlite3.BLOB {
		hay = []byte(args[0].Text())
	}
	if args[1].Type() != sqlite3.BLOB {
		needle = []byte(args[1].Text())
	}
	at := 0
	if len(needle) > 0 && continues(needle[0]) {
		// A match starts at a character, so only the first place remains.
		if !bytes.HasPrefix(hay, needle) {
			at = -1
		}
	} else {
		at = bytes.Index(hay, needle)
	}
	if at < 0 {
		ctx.ResultInt(0)
		return
	}
	n := 1
	for i := 1; i <= at; i++ {
		if !continues(hay[i]) {
			n++
		}
	}
	ctx.ResultInt(n)
}

func continues(b byte) bool { return b&0xc0 == 0x80 }

// replace replaces each occurrence of a pattern.
func replace(ctx sqlite3.Context, args ...sqlite3.Value) {
	if anyNull(args) {
		return
	}
	text, old, repl := args[0].Text(), args[1].Text(), args[2].Text()
	if old == "" {
		ctx.ResultText(text)
		return
	}
	n := bytes.Count([]byte(text), []byte(old))
	if int64(len(text))+int64(n)*int64(len(repl)-len(old)) > maxValue {
		ctx.ResultError(sqlite3.TOOBIG)
		return
	}
	ctx.ResultRawText(bytes.ReplaceAll([]byte(text), []byte(old), []byte(repl)))
}

// trim removes characters of a set, spaces if there is none, from the ends.
func trim(left, right bool) sqlite3.ScalarFunction {
	return func(ctx sqlite3.Context, args ...sqlite3.Value) {
		if anyNull(args) {
			return
		}
		text := []byte(args[0].Text())
		set := map[string]bool{" ": true}
		if len(args) == 2 {
			clear(set)
			for chars := []byte(args[1].Text()); len(chars) > 0; {
				n := charLen(chars)
				set[string(chars[:n])] = true
				chars = chars[n:]
			}
		}
		for left && len(text) > 0 {
			n := charLen(text)
			if !set[string(text[:n])] {
				break
			}
			text = text[n:]
		}
		for right && len(text) > 0 {
			n := 1
			for n < len(text) && continues(text[len(text)-n]) {
				n++
			}
			if !set[string(text[len(text)-n:])] {
				break
			}
			text = text[:len(text)-n]
		}
		if text == nil {
			text = []byte{}
		}
		ctx.ResultRawText(text)
	}
}

// charLen returns the length of the first character of b, as SQLite sees it.
func charLen(b []byte) int {
	n := 1
	if b[0] >= 0xc0 {
		for n < len(b) && continues(b[n]) {
			n++
		}
	}
	return n
}
