package workers

import (
	"github.com/dop251/goja"
)

// absentObject stands for a binding that there cannot be: it is there, as the
// configuration says, and to use a member of it throws what text says. Asking what it
// is, as await, JSON.stringify and console.log do, does not.
func (in *instance) absentObject(name, text string) goja.Value {
	rt := in.realm
	get := func(member string) goja.Value {
		if member == "then" || member == "toJSON" || member == "constructor" {
			return goja.Undefined()
		}
		panic(rt.NewError("Error", "env."+name+"."+member+": "+text))
	}
	p := rt.VM.NewProxy(rt.VM.NewObject(), &goja.ProxyTrapConfig{
		Get:    func(_ *goja.Object, member string, _ goja.Value) goja.Value { return get(member) },
		GetSym: func(*goja.Object, *goja.Symbol, goja.Value) goja.Value { return goja.Undefined() },
	})
	return rt.VM.ToValue(p)
}
