package webapi

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// str converts a value to a string as Web IDL's USVString does: lone surrogates
// become U+FFFD, a symbol throws, an object's own conversion may run code.
func (r *Realm) str(v goja.Value) string {
	if _, ok := v.(*goja.Symbol); ok {
		r.TypeError("Cannot convert a Symbol value to a string")
	}
	s := v.String()
	if !utf8.ValidString(s) { // a string that Go code made
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

// argc throws unless a call has at least n arguments. op is "name" or
// "name on Class", as messages call it.
func (r *Realm) argc(c goja.FunctionCall, n int, op string) {
	r.argCount(len(c.Arguments), n, "execute "+quoteOp(op))
}

// ctorArgc is argc for a constructor.
func (r *Realm) ctorArgc(c goja.ConstructorCall, n int, class string) {
	r.argCount(len(c.Arguments), n, "construct '"+class+"'")
}

func (r *Realm) argCount(have, want int, op string) {
	if have >= want {
		return
	}
	noun := "arguments"
	if want == 1 {
		noun = "argument"
	}
	r.TypeError("Failed to %s: %d %s required, but only %d present.", op, want, noun, have)
}

func quoteOp(op string) string {
	name, class, ok := strings.Cut(op, " on ")
	if !ok {
		return "'" + name + "'"
	}
	return "'" + name + "' on '" + class + "'"
}

// number converts a value as ToNumber does. A symbol or a BigInt throws.
func (r *Realm) number(v goja.Value) float64 {
	n := v.ToNumber()
	if goja.IsBigInt(n) {
		r.TypeError("Cannot convert a BigInt value to a number")
	}
	return n.ToFloat()
}

// int32 converts a value to Web IDL's long: modulo 2^32, NaN and infinities are 0.
func (r *Realm) int32(v goja.Value) int32 {
	f := r.number(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	if f >= math.MinInt32 && f <= math.MaxInt32 {
		return int32(f)
	}
	f = math.Mod(math.Trunc(f), 1<<32)
	if f < 0 {
		f += 1 << 32
	}
	return int32(uint32(f))
}

// enforceRange converts a value to an integer from 0 to 2^53-1; anything else throws.
func (r *Realm) enforceRange(v goja.Value, what string) int64 {
	f := r.number(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		r.TypeError("%s is not a finite number", what)
	}
	f = math.Trunc(f)
	if f < 0 || f > 1<<53-1 {
		r.TypeError("%s is outside the accepted range", what)
	}
	return int64(f)
}

// enforceRangeTo is enforceRange for a type whose largest value is max.
func (r *Realm) enforceRangeTo(v goja.Value, most int64, what string) int64 {
	n := r.enforceRange(v, what)
	if n > most {
		r.TypeError("%s is outside the accepted range", what)
	}
	return n
}

// maxDelay is the longest time a timer waits: the largest that setTimeout can name.
const maxDelay = math.MaxInt32 * time.Millisecond

// millis returns a number of milliseconds as a duration, at most maxDelay.
func millis(ms int64) time.Duration {
	if ms < 0 {
		return 0
	}
	if ms > int64(maxDelay/time.Millisecond) {
		return maxDelay
	}
	return time.Duration(ms) * time.Millisecond
}

// dictionary returns the members of a Web IDL dictionary: nil if it is missing,
// undefined or null. A primitive throws.
func (r *Realm) dictionary(v goja.Value, what string) *goja.Object {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		r.TypeError("%s is not an object", what)
	}
	return o
}

// member returns a member of a dictionary, or nil if it is missing or undefined.
func member(dict *goja.Object, name string) goja.Value {
	if dict == nil {
		return nil
	}
	if v := dict.Get(name); v != nil && !goja.IsUndefined(v) {
		return v
	}
	return nil
}

// flag returns a boolean member of a dictionary; missing is false.
func flag(dict *goja.Object, name string) bool {
	v := member(dict, name)
	return v != nil && v.ToBoolean()
}

// report runs fn; what it throws goes to the host as uncaught.
func (r *Realm) report(fn func()) {
	if v := r.Try(fn); v != nil {
		r.Host.Uncaught(v)
	}
}
