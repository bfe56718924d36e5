package workers

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
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

	// What the code mentions.
	strings, arrays, buffers            []string
	calls, regexps, integers, operators bool
}

// length is how many elements an array may have for its methods to take it.
func (g *guard) length() int64 { return g.memory / 32 }

// units is how many UTF-16 units a string may have.
func (g *guard) units() int64 { return g.memory / 4 }

// bytes is how large an ArrayBuffer may be.
func (g *guard) bytes() int64 { return g.memory / 2 }

//go:embed guard_builtins.js
var builtinsSource string

var builtinsProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile("samkit:guard", builtinsSource, true) })

// The built-ins that are guarded, by the groups of guard_builtins.js.
var (
	guardedStrings = []string{"repeat", "padStart", "padEnd", "replace", "replaceAll", "split", "normalize", "toUpperCase", "toLowerCase", "toLocaleUpperCase", "toLocaleLowerCase", "concat", "match", "search", "matchAll"}
	guardedArrays  = []string{
		"forEach", "map", "filter", "some", "every", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "indexOf", "includes", "slice", "sort", "reverse", "toSorted", "toReversed", "shift",
		"fill", "copyWithin", "lastIndexOf", "reduce", "reduceRight", "splice", "toSpliced", "with", "unshift", "flat", "concat", "join", "from",
	}
	guardedBuffers = []string{"ArrayBuffer", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"}
)

// mention notes which built-ins code mentions. To guard all of them takes half a millisecond and 400 KB
// for each isolate, and most code mentions few.
func (g *guard) mention(code string) {
	code = withoutHelper(code)
	mentioned := func(names []string) (list []string) {
		for _, n := range names {
			if strings.Contains(code, n) {
				list = append(list, n)
			}
		}
		return list
	}
	g.strings, g.buffers = mentioned(guardedStrings), mentioned(guardedBuffers)
	g.arrays = mentioned(guardedArrays)
	if len(g.arrays) > 0 && !slices.Contains(g.arrays, "join") {
		g.arrays = append(g.arrays, "join") // is behind the conversion of arrays to strings
	}
	g.calls = strings.Contains(code, "apply") || strings.Contains(code, "construct")
	g.regexps = len(mentioned([]string{"RegExp", "match", "search"})) > 0
	g.integers = strings.Contains(code, "BigInt")
	g.operators = strings.Contains(code, "**") || strings.Contains(code, "<<")
}

// withoutHelper leaves out the helper that every bundle begins with: a parameter of it has the name of a method
// of Array.
func withoutHelper(code string) string {
	before, rest, ok := strings.Cut(code, "\nvar __copyProps = (to, from, except, desc) => {\n")
	_, after, ends := strings.Cut(rest, "\n};\n")
	if !ok || !ends || len(before) > 1000 {
		return code
	}
	return before + after
}

// install guards the built-ins of rt, which no code has touched yet. It returns the functions
// that guarded operators call, see [jsrt.CompileGuarded].
func (g *guard) install(rt *jsrt.Runtime) (operators goja.Value) {
	rt.MaxText, rt.MaxMatch = g.units(), g.matchTime()
	if len(g.strings)+len(g.arrays)+len(g.buffers) == 0 && !g.calls && !g.regexps && !g.integers && !g.operators {
		return goja.Undefined()
	}
	v, err := rt.VM.RunProgram(builtinsProgram())
	if err != nil {
		panic(err) // a constant program in a new runtime
	}
	fn, _ := goja.AssertFunction(v)
	arm := goja.Undefined()
	if g.regexps {
		arm = rt.VM.ToValue(func(f goja.FunctionCall) goja.Value {
			if o, ok := f.Argument(0).(*goja.Object); ok {
				armRegExp(o, g.matchTime())
			}
			return f.Argument(0)
		})
	}
	call := func(fn goja.Callable, args ...goja.Value) goja.Value {
		v, err := fn(nil, args...)
		if err != nil {
			panic(err)
		}
		return v
	}
	num := func(n int64) goja.Value { return rt.VM.ToValue(n) }
	groups := call(fn, num(g.units()), num(g.length()), num(g.bytes()), arm).(*goja.Object)
	group := func(name string, args ...goja.Value) goja.Value {
		fn, _ := goja.AssertFunction(groups.Get(name))
		return call(fn, args...)
	}
	for _, list := range []struct {
		group string
		names []string
	}{{"strings", g.strings}, {"arrays", g.arrays}, {"buffers", g.buffers}} {
		if len(list.names) == 0 {
			continue
		}
		names := make([]any, len(list.names))
		for i, n := range list.names {
			names[i] = n
		}
		group(list.group, rt.VM.NewArray(names...))
	}
	if g.calls {
		group("calls")
	}
	if g.regexps {
		group("expressions")
	}
	if g.integers || g.operators {
		return group("integers", rt.VM.ToValue(g.integers))
	}
	return goja.Undefined()
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
