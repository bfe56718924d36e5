package workers

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
)

// goja matches regular expressions with Go's linear matcher where it can and
// otherwise, and whenever a match starts in the middle of a text, with regexp2, which goes back and tries again: it can
// take for ever and does not look whether it was interrupted. regexp2 has a time limit
// for a match, but goja has no way to set it, so this reaches into
// goja's objects. TestRegExpTime fails if they change.

// armRegExp bounds the time of a match of o, if it is a RegExp.
func armRegExp(o *goja.Object, d time.Duration) {
	self := reflect.ValueOf(o).Elem().FieldByName("self").Elem()
	if self.Kind() == reflect.Pointer && self.Elem().Kind() == reflect.Struct {
		armPattern(self.Elem().FieldByName("pattern"), d)
	}
}

// armProgram bounds the time of all expressions that stand in a program as literals. The program must
// not run yet.
func armProgram(p *goja.Program, d time.Duration) {
	arm := programArmer{d: d, seen: map[unsafe.Pointer]bool{}}
	arm.program(reflect.ValueOf(p))
}

type programArmer struct {
	d    time.Duration
	seen map[unsafe.Pointer]bool
}

var programType = reflect.TypeFor[*goja.Program]()

func (a *programArmer) program(p reflect.Value) {
	if p.IsNil() || a.seen[p.UnsafePointer()] {
		return
	}
	a.seen[p.UnsafePointer()] = true
	code := p.Elem().FieldByName("code")
	for i := range code.Len() {
		if ins := code.Index(i).Elem(); ins.Kind() == reflect.Pointer && !ins.IsNil() {
			a.instruction(ins.Elem())
		}
	}
}

// instruction looks for expressions and functions in an instruction.
func (a *programArmer) instruction(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Type() == programType:
			a.program(f)
		case f.Kind() == reflect.Struct:
			a.instruction(f)
		case f.Kind() == reflect.Slice && f.Type().Elem() == programType:
			for k := range f.Len() {
				a.program(f.Index(k))
			}
		case f.Kind() == reflect.Pointer && f.Type().Elem().Kind() == reflect.Struct && f.Type().Elem().Name() == "regexpPattern":
			armPattern(f, a.d)
		}
	}
}

// armPattern bounds the time of a *regexpPattern of goja's.
func armPattern(pattern reflect.Value, d time.Duration) {
	if !pattern.IsValid() || pattern.Kind() != reflect.Pointer || pattern.IsNil() {
		return
	}
	p := pattern.Elem()
	wrapper := p.FieldByName("regexp2Wrapper")
	if wrapper.IsNil() {
		if !p.FieldByName("global").Bool() && !p.FieldByName("sticky").Bool() {
			return // always starts at the beginning: it stays with the linear matcher
		}
		rx, err := backtracking(p)
		if err != nil {
			return // goja would not get further
		}
		made := reflect.New(wrapper.Type().Elem())
		*(**regexp2.Regexp)(unsafe.Pointer(made.Elem().FieldByName("rx").UnsafeAddr())) = rx
		reflect.NewAt(wrapper.Type(), unsafe.Pointer(wrapper.UnsafeAddr())).Elem().Set(made)
	}
	(*regexp2.Regexp)(wrapper.Elem().FieldByName("rx").UnsafePointer()).MatchTimeout = d
}

// backtracking compiles a pattern as goja does when a match starts in the middle.
func backtracking(p reflect.Value) (*regexp2.Regexp, error) {
	opts := regexp2.ECMAScript
	for _, f := range []struct {
		name string
		opt  regexp2.RegexOptions
	}{{"multiline", regexp2.Multiline}, {"dotAll", regexp2.Singleline}, {"ignoreCase", regexp2.IgnoreCase}, {"unicode", regexp2.Unicode}} {
		if p.FieldByName(f.name).Bool() {
			opts |= f.opt
		}
	}
	return regexp2.Compile(p.FieldByName("src").String(), opts)
}
