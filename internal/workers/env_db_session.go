package workers

import (
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/isolate"
	"samkit.dev/internal/jsrt"
)

// A d1Session is what a D1DatabaseSession carries. There is one database and no
// replica of it, so that every read sees all that was acknowledged before,
// whatever the session was asked to guarantee.
type d1Session struct {
	binding  uint32
	bookmark string // the newest that is known, or ""
}

// withSession is the method of a database.
func (in *instance) withSession(binding uint32, v goja.Value) goja.Value {
	s := &d1Session{binding: binding}
	if jsrt.Defined(v) && !goja.IsNull(v) {
		if !goja.IsString(v) {
			in.realm.TypeError("constraintOrBookmark?.trim is not a function")
		}
		switch text := strings.TrimSpace(v.String()); text {
		case "", "first-unconstrained", "first-primary":
		default:
			s.bookmark = text
		}
	}
	return in.sessionClass().New(s)
}

func (in *instance) sessionClass() *jsrt.Class {
	rt := in.realm
	return rt.Class("D1DatabaseSession", 0, nil, func(c *jsrt.Class) {
		untagged(c)
		this := func(v goja.Value) *d1Session { return jsrt.This[*d1Session](rt.Runtime, v) }
		c.Method("prepare", 1, func(f goja.FunctionCall) goja.Value {
			s := this(f.This)
			return in.statementClass().New(&d1Statement{binding: s.binding, sql: in.text(f.Argument(0)), session: s})
		})
		c.Async("batch", 1, func(f goja.FunctionCall) goja.Value {
			s := this(f.This)
			return in.dbBatch(s.binding, s, f.Argument(0))
		})
		c.Method("getBookmark", 0, func(f goja.FunctionCall) goja.Value {
			if b := this(f.This).bookmark; b != "" {
				return rt.VM.ToValue(b)
			}
			return goja.Null()
		})
	})
}

// seen wraps what converts an answer, after which the session, if there is
// one, has a newer bookmark: it has the form of D1's, and grows with the time.
func (s *d1Session) seen(convert func(*isolate.Reader) goja.Value) func(*isolate.Reader) goja.Value {
	if s == nil {
		return convert
	}
	return func(rd *isolate.Reader) goja.Value {
		now := time.Now().UnixMicro()
		s.bookmark = max(s.bookmark, fmt.Sprintf("%08x-%08x-00000000-%032x", now>>32, now&0xffffffff, 0))
		return convert(rd)
	}
}

// askDB runs a statement.
func (in *instance) askDB(s *d1Statement, verb byte, convert func(*isolate.Reader) goja.Value) goja.Value {
	return in.ask(s.binding, s.append([]byte{verb}), s.session.seen(convert))
}
