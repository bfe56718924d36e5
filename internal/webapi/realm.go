package webapi

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
	"samkit.dev/internal/locale"
)

// A Host is what surrounds a realm. All methods are called on the realm's goroutine, within a turn.
type Host interface {
	// Log receives what console.* printed, formatted; stack is the call stack
	// as goja gives it, innermost frame first.
	Log(level slog.Level, text string, stack []goja.StackFrame)
	// After runs fn in a turn of its own when d has passed, unless the timer is
	// stopped. Timers with equal due times fire in the order they were set.
	After(d time.Duration, fn func()) (stop func())
	// Now is the time that Date.now and performance.now show.
	Now() time.Time
	// Uncaught receives an exception that no code handles, such as one
	// thrown by a timer's callback or an event listener.
	Uncaught(v goja.Value)
}

// A Realm is a runtime with the Web APIs. It belongs to one goroutine at a time.
type Realm struct {
	*jsrt.Runtime
	Host Host
	// Network carries out what fetch asks for and returns a promise for the Response.
	// Nil means that there is none. It is called within a turn.
	Network func(*Departure) goja.Value

	started       time.Time
	classes       classes
	timers        timers
	intrinsics    [intrinsicCount]goja.Callable
	wasm          *wasmRealm   // once WebAssembly is used
	asyncIterator *goja.Symbol // Symbol.asyncIterator
	regexps       *expressions // nil unless the bundle needs them
	zones         map[string]*time.Location
	locales       *locale.Index // once Intl is used
	globalEvents  *eventTarget  // nil until code listens
}

// classes holds the classes that native code makes instances of, once built.
type classes struct {
	headers, request, response *jsrt.Class
	domException, abortSignal  *jsrt.Class
	url, searchParams          *jsrt.Class
}

// Install adds the Web APIs to rt.
func Install(rt *jsrt.Runtime, h Host) *Realm {
	r := &Realm{Runtime: rt, Host: h, started: h.Now()}
	rt.SetGlobals(platform, func(name string, own goja.Value) goja.Value {
		switch name {
		case "JSON":
			rt.InstallJSON(own.(*goja.Object))
		case "Symbol":
			r.installSymbols(own.(*goja.Object))
		default:
			return makers[name](r)
		}
		return own
	})
	return r
}

// amended are globals of goja's that are made as its own, and then get what they lack.
var amended = []string{"JSON", "Symbol"}

// installSymbols adds the well-known symbols that goja lacks. Code that esbuild
// lowered uses them as it finds them, and libraries ask for them as they load.
func (r *Realm) installSymbols(symbol *goja.Object) {
	for _, s := range []struct {
		name string
		to   **goja.Symbol
	}{{"asyncIterator", &r.asyncIterator}, {"dispose", new(*goja.Symbol)}, {"asyncDispose", new(*goja.Symbol)}} {
		if known, ok := symbol.Get(s.name).(*goja.Symbol); ok {
			*s.to = known
			continue
		}
		*s.to = goja.NewSymbol("Symbol." + s.name)
		symbol.DefineDataProperty(s.name, *s.to, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	}
}

// A global is a name on globalThis and how its value is made.
type global struct {
	name string
	make func(*Realm) goja.Value
}

// makers holds what Install adds, family by family. It is never written.
var makers = byName(
	fetchGlobals, blobGlobals, formGlobals, streamGlobals,
	exceptionGlobals, eventGlobals, abortGlobals, timerGlobals, urlGlobals, urlPatternGlobals, rewriterGlobals, cacheGlobals, performanceGlobals, cloneGlobals, consoleGlobals,
	websocketGlobals, encodingGlobals, base64Globals, navigatorGlobals, globalEventGlobals, cryptoGlobals, completeGlobals, nodeGlobals, selfGlobals, wasmGlobals,
)

// platform are the names of makers. Those that begin with an underscore are for bundles only.
var platform = func() *jsrt.Globals {
	names, hidden := slices.Clone(amended), []string(nil)
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		if strings.HasPrefix(name, "__") {
			hidden = append(hidden, name)
		} else {
			names = append(names, name)
		}
	}
	return jsrt.NewGlobals(names, hidden)
}()

var selfGlobals = []global{{"self", func(r *Realm) goja.Value { return r.Global }}}

func byName(families ...[]global) map[string]func(*Realm) goja.Value {
	m := map[string]func(*Realm) goja.Value{}
	for _, f := range families {
		for _, g := range f {
			m[g.name] = g.make
		}
	}
	return m
}

// class makes a global of a native class.
func class(name string, of func(*Realm) *jsrt.Class) global {
	return global{name, func(r *Realm) goja.Value { return of(r).Ctor }}
}

// function makes a global of a native function.
func function(name string, length int, fn func(*Realm, goja.FunctionCall) goja.Value) global {
	return global{name, func(r *Realm) goja.Value {
		return r.Func(name, length, func(c goja.FunctionCall) goja.Value { return fn(r, c) })
	}}
}
