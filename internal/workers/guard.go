package workers

import (
	_ "embed"
	"math"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// In a worker process the system stops what goes too far. In this process nothing does:
// some built-in functions of goja neither look whether they were interrupted
// nor can an allocation of theirs that fails be survived. A guarded runner refuses
// them arguments with which they would take much time or memory, with the
// RangeError that engines throw for what is too large.
//
// The guards stop accidents. Code that means harm gets around them, for instance with a
// proxy whose length grows between the check and the use.

// A guard bounds what built-in functions of a runner in this process may be asked for.
type guard struct {
	memory int64         // of the requests of the runner
	cpu    time.Duration // how long a regular expression may match
}

// length is how many elements an array may have for its methods to take it.
func (g *guard) length() int64 { return g.memory / 32 }

// units is how many UTF-16 units a string may have.
func (g *guard) units() int64 { return g.memory / 4 }

// bytes is how large an ArrayBuffer may be.
func (g *guard) bytes() int64 { return g.memory / 2 }

//go:embed guard_code.js
var codeSource string

//go:embed guard_builtins.js
var builtinsSource string

var (
	codeProgram     = goja.MustCompile("samkit:code", codeSource, true)
	builtinsProgram = goja.MustCompile("samkit:guard", builtinsSource, true)
)

// forbidCode takes away what turns strings into code: eval and the constructors
// of functions. Code is measured before it is compiled, since a stack that overflows in the
// compiler ends the process; what comes as a string would not be.
func forbidCode(rt *jsrt.Runtime) {
	if _, err := rt.VM.RunProgram(codeProgram); err != nil {
		panic(err) // a constant program in a new runtime
	}
}

// install guards the built-ins of rt, which no code has touched yet. It returns the functions
// that guarded operators call, see [jsrt.CompileGuarded].
func (g *guard) install(rt *jsrt.Runtime) goja.Value {
	g.guardJSON(rt)
	v, err := rt.VM.RunProgram(builtinsProgram)
	if err != nil {
		panic(err) // a constant program in a new runtime
	}
	fn, _ := goja.AssertFunction(v)
	arm := rt.VM.ToValue(func(f goja.FunctionCall) goja.Value {
		if o, ok := f.Argument(0).(*goja.Object); ok {
			armRegExp(o, g.matchTime())
		}
		return f.Argument(0)
	})
	num := func(n int64) goja.Value { return rt.VM.ToValue(n) }
	ops, err := fn(nil, num(g.units()), num(g.length()), num(g.bytes()), arm)
	if err != nil {
		panic(err)
	}
	return ops
}

// matchTime is how long one match may take: longer than the CPU time of a request, so that
// a match that was given up for its time is in a request that fails for its time. goja
// reports it as no match.
func (g *guard) matchTime() time.Duration {
	if g.cpu <= 0 || g.cpu > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return g.cpu + 100*time.Millisecond
}
