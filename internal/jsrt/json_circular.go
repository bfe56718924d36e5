package jsrt

import (
	"strings"

	"github.com/dop251/goja"
)

// circular throws that the object at path[from] is reached again by key. It shows the way as V8 does.
func (w *jsonWriter) circular(from int, key jsonKey) {
	circle := w.path[from:]
	var b strings.Builder
	b.WriteString("Converting circular structure to JSON\n    --> starting at object with constructor " + w.constructor(circle[0].o))
	by := func(i int) string { // how the i-th object of the circle was reached
		key := key.name
		if i < len(circle) {
			key = circle[i].key
		}
		if isArray(w.rt, circle[i-1].o) {
			return "index " + key
		}
		return "property '" + key + "'"
	}
	const first, last = 2, 1 // objects shown after the start and at the end
	for i := 1; i < len(circle); i++ {
		if i == first+1 && len(circle)-last > i {
			b.WriteString("\n    |     ...")
			i = len(circle) - last
		}
		b.WriteString("\n    |     " + by(i) + " -> object with constructor " + w.constructor(circle[i].o))
	}
	b.WriteString("\n    --- " + by(len(circle)) + " closes the circle")
	w.rt.TypeError("%s", b.String())
}

// constructor returns the quoted name of an object's class, as far as it is known without asking a proxy.
func (w *jsonWriter) constructor(o *goja.Object) string {
	name := "Object"
	if o.ExportType() != proxyType {
		w.rt.Try(func() {
			for p := o.Prototype(); p != nil && p.ExportType() != proxyType; p = p.Prototype() {
				if c, ok := p.Get("constructor").(*goja.Object); ok {
					if s, ok := c.Get("name").(goja.String); ok && s.Length() > 0 {
						name = s.String()
						return
					}
				}
			}
		})
	}
	return "'" + name + "'"
}
