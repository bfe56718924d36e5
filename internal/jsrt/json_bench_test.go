package jsrt

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// BenchmarkJSON measures JSON.parse and JSON.stringify as code calls them, and goja's own.
func BenchmarkJSON(b *testing.B) {
	var large strings.Builder
	large.WriteString("[")
	for i := range 7000 {
		if i > 0 {
			large.WriteString(",")
		}
		n := strconv.Itoa(i)
		large.WriteString(`{"id":` + n + `,"name":"item number ` + n + `","price":` + n + `.25,"tags":["red","green","blue"],"active":true,"owner":{"id":` + strconv.Itoa(i%50) + `,"email":"user` + n + `@example.com"},"note":null}`)
	}
	large.WriteString("]")
	texts := []struct{ name, text string }{{"large", large.String()}, {"small", `{"ok":true,"msg":"hello","n":5}`}, {"row", `{"id":17,"name":"a name of some length","created":"2024-05-01T12:00:00Z","tags":["a","b"],"score":1.5,"é":"ü"}`}}
	for _, mine := range []bool{true, false} {
		rt, name := newJSON(), "samkit"
		vm := rt.VM
		if !mine {
			vm, name = goja.New(), "goja"
		}
		for _, c := range texts {
			vm.Set("text", c.text)
			for _, op := range []struct{ name, code string }{{"parse", "(() => JSON.parse(text))"}, {"stringify", "(v => () => JSON.stringify(v))(JSON.parse(text))"}} {
				b.Run(name+"/"+c.name+"/"+op.name, func(b *testing.B) {
					v, err := vm.RunString(op.code)
					if err != nil {
						b.Fatal(err)
					}
					fn, _ := goja.AssertFunction(v)
					b.ReportAllocs()
					b.SetBytes(int64(len(c.text)))
					for b.Loop() {
						if _, err := fn(nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
