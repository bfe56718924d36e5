package jscheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"samkit.dev/internal/jsrt"
)

// refusals makes what refuses to make code, while there is the EvalError that it throws.
var refusals = goja.MustCompile("samkit:harden", "[() => {}, async () => {}, function* () {}].map((f) => f.constructor).concat(globalThis.eval)", true)

// Harden makes rt, in which no code has run, one for scripts: what turns strings into code is
// gone, from every kind of function, and of the globals there are those that a script may use
// and those in more. It closes what [Check] cannot see, such as a key made at run time. What a
// script gives away it loses for itself only: each run has a runtime of its own.
//
// The error says which globals could not be taken away. Then rt must not run a script.
func Harden(rt *jsrt.Runtime, more ...string) error {
	rt.ForbidCode()
	if _, err := rt.VM.RunProgram(refusals); err != nil {
		return fmt.Errorf("jscheck: harden: %w", err)
	}
	var stay []string
	err := rt.Catch(func() {
		for _, name := range rt.Global.GetOwnPropertyNames() {
			if allowed[name] || slices.Contains(more, name) {
				continue
			}
			if err := rt.Global.Delete(name); err != nil || rt.Global.Get(name) != nil {
				stay = append(stay, name)
			}
		}
		for _, symbol := range rt.Global.Symbols() {
			_ = rt.Global.DeleteSymbol(symbol) // only the tag of globalThis, which scripts don't have
		}
	})
	if err != nil {
		return fmt.Errorf("jscheck: harden: %w", err)
	}
	if len(stay) > 0 {
		return fmt.Errorf("jscheck: harden: globals that cannot be removed: %s", strings.Join(stay, ", "))
	}
	return nil
}
