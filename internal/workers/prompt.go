package workers

import (
	"slices"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// promptName is the global of an app with Prompt that no list of globals has. It is an object of functions:
//
//	line(name, code)    an async function that runs code as a line of a session, see [jsrt.CompileLine], and
//	                    returns an array with its value
//	seal()              makes constant what the last line declared so, and did not come to
//	module(name, code)  runs code as a CommonJS module: [module, a promise if it has to be awaited or undefined]
//	show(value, colors) the value as Node's util.inspect has it
//
// What is wrong with code is thrown as a SyntaxError with line and column. In stacks it has its name.
const promptName = "__samkit_prompt"

// A session is what an instance with Prompt has run at its prompt.
type session struct {
	in     *instance
	sealed map[string]bool // the globals that are constants
	fresh  []string        // constants of the last line
}

func (in *instance) installPrompt() {
	s := &session{in: in, sealed: map[string]bool{}}
	rt := in.realm.Runtime
	o := rt.VM.NewObject()
	rt.Method(o, "line", 2, s.line)
	rt.Method(o, "module", 2, s.module)
	rt.Method(o, "seal", 0, s.seal)
	rt.Method(o, "show", 2, func(f goja.FunctionCall) goja.Value {
		return rt.VM.ToValue(in.realm.InspectFor(f.Argument(0), f.Argument(1).ToBoolean()))
	})
	rt.HideGlobal(promptName, o)
}

// line is the function of this name.
func (s *session) line(f goja.FunctionCall) goja.Value {
	l, err := jsrt.CompileLine(f.Argument(0).String(), []byte(f.Argument(1).String()), s.in.app.guard != nil)
	if err != nil {
		s.refuse(err)
	}
	s.declare(l.Names)
	module, _ := s.run(l.Program, true)
	return module.Get("exports")
}

// module is the function of this name.
func (s *session) module(f goja.FunctionCall) goja.Value {
	code := []byte(f.Argument(1).String())
	p, err := compileFor(s.in.app, f.Argument(0).String(), code)
	if err != nil {
		s.refuse(err)
	}
	module, result := s.run(p, false)
	later := goja.Undefined()
	if _, ok := jsrt.IsPromise(result); ok {
		later = result
	}
	return s.in.realm.VM.NewArray(module, later)
}

func compileFor(a *loaded, name string, code []byte) (*jsrt.Program, error) {
	if a.guard != nil {
		return jsrt.CompileGuarded(name, code)
	}
	return jsrt.Compile(name, code)
}

// run runs a program and returns its module, and what its function returned.
func (s *session) run(p *jsrt.Program, line bool) (module *goja.Object, result goja.Value) {
	in, rt := s.in, s.in.realm
	if in.app.guard != nil {
		armProgram(p.Program, in.app.guard.matchTime())
	}
	v, err := rt.VM.RunProgram(p.Program)
	if err != nil {
		panic(err)
	}
	wrapper, ok := goja.AssertFunction(v)
	if !ok {
		rt.TypeError("The code is no function")
	}
	module = rt.VM.NewObject()
	jsrt.Data(module, "exports", rt.VM.NewObject())
	if line {
		rt.Method(module, jsrt.SealMember, 0, s.constants)
	}
	stack := goja.Undefined()
	if p.ReadsStack {
		stack = rt.VM.ToValue(in.readStack)
	}
	result = rt.Call(wrapper, goja.Undefined(), module, module.Get("exports"), in.appender.Value(), in.guard, stack, rt.LateFields(p), rt.Skip(p))
	return module, result
}

func (s *session) refuse(err error) {
	rt := s.in.realm
	wrong, ok := err.(*jsrt.SyntaxError)
	if !ok {
		panic(rt.NewError("SyntaxError", err.Error()))
	}
	e := rt.NewError("SyntaxError", wrong.Text)
	jsrt.Data(e, "line", rt.VM.ToValue(wrong.Line))
	jsrt.Data(e, "column", rt.VM.ToValue(wrong.Column))
	panic(e)
}

// declare makes the globals that a line is about to assign. One that was constant may be declared anew.
func (s *session) declare(names []jsrt.LineName) {
	s.fresh = nil
	global := s.in.realm.Global
	for _, n := range names {
		if s.sealed[n.Name] {
			if err := global.Delete(n.Name); err != nil {
				panic(err)
			}
			delete(s.sealed, n.Name)
		}
		if global.Get(n.Name) == nil {
			global.DefineDataProperty(n.Name, goja.Undefined(), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
		if n.Const {
			s.fresh = append(s.fresh, n.Name)
		}
	}
}

// constants makes constants of globals that have their values: the function that lines call.
func (s *session) constants(f goja.FunctionCall) goja.Value {
	for _, v := range f.Arguments {
		name := v.String()
		if i := slices.Index(s.fresh, name); i >= 0 {
			s.fresh = slices.Delete(s.fresh, i, i+1)
			s.freeze(name)
		}
	}
	return goja.Undefined()
}

// seal is the function of this name.
func (s *session) seal(goja.FunctionCall) goja.Value {
	for _, name := range s.fresh {
		s.freeze(name)
	}
	s.fresh = nil
	return goja.Undefined()
}

// freeze makes a constant of a global. The line is in sloppy mode, where an assignment to what cannot be written
// is no error: hence a setter that throws.
func (s *session) freeze(name string) {
	rt := s.in.realm
	v := rt.Global.Get(name)
	if v == nil {
		return
	}
	err := rt.Global.DefineAccessorProperty(name,
		rt.VM.ToValue(func(goja.FunctionCall) goja.Value { return v }),
		rt.VM.ToValue(func(goja.FunctionCall) goja.Value {
			rt.TypeError("Assignment to constant variable.")
			return nil
		}), goja.FLAG_TRUE, goja.FLAG_TRUE)
	if err != nil {
		panic(err)
	}
	s.sealed[name] = true
}
