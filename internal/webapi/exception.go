package webapi

import (
	"bytes"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// exceptionGlobals is DOMException.
var exceptionGlobals = []global{class("DOMException", (*Realm).domExceptionClass)}

// A domException is what a DOMException carries.
type domException struct {
	name, message string
	stack         []goja.StackFrame
}

// exceptionStack is the most frames that a DOMException's stack shows.
const exceptionStack = 32

// DOMException returns a new DOMException, such as an "AbortError".
func (r *Realm) DOMException(name, message string) *goja.Object {
	return r.domExceptionClass().New(r.newException(name, message))
}

// throw throws a DOMException.
func (r *Realm) throw(name, message string) { panic(r.DOMException(name, message)) }

func (r *Realm) newException(name, message string) *domException {
	return &domException{name, message, r.VM.CaptureCallStack(exceptionStack, nil)}
}

// exceptionNames are the names that have a legacy code, in order: the first has code 1.
// Empty ones were never DOMExceptions of the Web platform.
var exceptionNames = [...]struct{ name, constant string }{
	{"IndexSizeError", "INDEX_SIZE_ERR"},
	{"", "DOMSTRING_SIZE_ERR"},
	{"HierarchyRequestError", "HIERARCHY_REQUEST_ERR"},
	{"WrongDocumentError", "WRONG_DOCUMENT_ERR"},
	{"InvalidCharacterError", "INVALID_CHARACTER_ERR"},
	{"", "NO_DATA_ALLOWED_ERR"},
	{"NoModificationAllowedError", "NO_MODIFICATION_ALLOWED_ERR"},
	{"NotFoundError", "NOT_FOUND_ERR"},
	{"NotSupportedError", "NOT_SUPPORTED_ERR"},
	{"InUseAttributeError", "INUSE_ATTRIBUTE_ERR"},
	{"InvalidStateError", "INVALID_STATE_ERR"},
	{"SyntaxError", "SYNTAX_ERR"},
	{"InvalidModificationError", "INVALID_MODIFICATION_ERR"},
	{"NamespaceError", "NAMESPACE_ERR"},
	{"InvalidAccessError", "INVALID_ACCESS_ERR"},
	{"", "VALIDATION_ERR"},
	{"TypeMismatchError", "TYPE_MISMATCH_ERR"},
	{"SecurityError", "SECURITY_ERR"},
	{"NetworkError", "NETWORK_ERR"},
	{"AbortError", "ABORT_ERR"},
	{"URLMismatchError", "URL_MISMATCH_ERR"},
	{"QuotaExceededError", "QUOTA_EXCEEDED_ERR"},
	{"TimeoutError", "TIMEOUT_ERR"},
	{"InvalidNodeTypeError", "INVALID_NODE_TYPE_ERR"},
	{"DataCloneError", "DATA_CLONE_ERR"},
}

func (e *domException) code() int {
	for i, n := range exceptionNames {
		if n.name != "" && n.name == e.name {
			return i + 1
		}
	}
	return 0
}

// trace is the text of the stack property, in the form of goja's errors.
func (e *domException) trace() string {
	var b bytes.Buffer
	b.WriteString(e.name)
	if e.message != "" {
		b.WriteString(": ")
		b.WriteString(e.message)
	}
	b.WriteByte('\n')
	for i := range e.stack {
		if ownFrame(&e.stack[i]) {
			continue
		}
		b.WriteString("\tat ")
		e.stack[i].Write(&b)
		b.WriteByte('\n')
	}
	return b.String()
}

// ownFrame reports whether a frame is this program's, which is nothing to code.
func ownFrame(f *goja.StackFrame) bool {
	return strings.HasPrefix(f.SrcName(), "samkit:") || strings.HasPrefix(f.FuncName(), "samkit.dev/")
}

func (r *Realm) domExceptionClass() *jsrt.Class {
	if c := r.classes.domException; c != nil {
		return c
	}
	construct := func(c goja.ConstructorCall) any {
		message, name := "", "Error"
		if v := c.Argument(0); !goja.IsUndefined(v) {
			message = r.str(v)
		}
		if v := c.Argument(1); !goja.IsUndefined(v) {
			name = r.str(v)
		}
		return r.newException(name, message)
	}
	r.classes.domException = r.Class("DOMException", 0, construct, func(c *jsrt.Class) {
		if parent, ok := r.VM.Get("Error").(*goja.Object); ok {
			if proto, ok := parent.Get("prototype").(*goja.Object); ok {
				c.Proto.SetPrototype(proto)
			}
		}
		self := func(v goja.Value) *domException { return jsrt.This[*domException](r.Runtime, v) }
		c.Getter("name", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).name) })
		c.Getter("message", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).message) })
		c.Getter("code", func(this goja.Value) goja.Value { return r.VM.ToValue(self(this).code()) })
		r.defineStack(c.Proto, self)
		for i, n := range exceptionNames {
			c.Const(n.constant, i+1)
		}
	})
	return r.classes.domException
}

// defineStack gives a prototype the property stack, whose text is made when it
// is read. Like an error's own stack it can be replaced.
func (r *Realm) defineStack(proto *goja.Object, self func(goja.Value) *domException) {
	get := r.Func("get stack", 0, func(c goja.FunctionCall) goja.Value { return r.VM.ToValue(self(c.This).trace()) })
	set := r.Func("set stack", 1, func(c goja.FunctionCall) goja.Value {
		self(c.This)
		c.This.(*goja.Object).DefineDataProperty("stack", c.Argument(0), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		return goja.Undefined()
	})
	proto.DefineAccessorProperty("stack", get, set, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
