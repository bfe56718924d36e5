package jsrt

import (
	"errors"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// An interrupt reaches native code that is at work.
func TestInterruptNative(t *testing.T) {
	for name, code := range map[string]string{
		"write": `let o = {}; for (let i = 0; i < 60; i++) o = { a: o, b: o }; JSON.stringify(o)`,
		"read":  `const text = "[" + "{},".repeat(1e6) + "1]"; for (;;) JSON.parse(text)`,
	} {
		rt := newJSON()
		timer := time.AfterFunc(50*time.Millisecond, func() { rt.Interrupt("enough") })
		_, err := rt.VM.RunString(code)
		timer.Stop()
		var stopped *goja.InterruptedError
		if !errors.As(err, &stopped) || stopped.Value() != "enough" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What JSON makes is counted where memory is limited.
func TestJSONRoom(t *testing.T) {
	rt := newJSON()
	rt.MaxText = 1 << 20
	for _, text := range []string{`"[" + "{},".repeat(2e4) + "1]"`, `"[" + "[],".repeat(5e4) + "1]"`, `"{" + Array.from({ length: 5e4 }, (_, i) => '"k' + i + '":1').join() + "}"`} {
		v, err := rt.VM.RunString(`try { JSON.parse(` + text + `) + "" } catch (e) { e.message }`)
		if err != nil || v.String() != "JSON has too many values" {
			t.Errorf("%s: %v %v", text, v, err)
		}
	}
}
