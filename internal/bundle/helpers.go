package bundle

import "bytes"

// esbuild begins a bundle with helpers that go over names with for…in and for…of. These make an engine build what most
// apps never use: every method of Object.prototype, and the iterators of arrays. That is a third of the memory of a
// small app. The lines of the code stay where they are.
var leanLines = []struct{ from, to string }{
	{
		"  for (var name in all)\n    __defProp(target, name, { get: all[name], enumerable: true });\n",
		"  for (var i = 0, names = Object.getOwnPropertyNames(all); i < names.length; i++)\n    __defProp(target, names[i], { get: all[names[i]], enumerable: true });\n",
	},
	{
		"    for (let key of __getOwnPropNames(from))\n      if (!__hasOwnProp.call(to, key) && key !== except)\n        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });\n",
		"    for (let i = 0, keys = __getOwnPropNames(from); i < keys.length; i++) { const key = keys[i];\n      if (!__hasOwnProp.call(to, key) && key !== except)\n        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable }); }\n",
	},
}

// maxHelpers is within how many bytes the helpers are.
const maxHelpers = 4 << 10

// leanHelpers returns code with loops by index in esbuild's helpers.
func leanHelpers(code []byte) []byte {
	head, rest := code[:min(len(code), maxHelpers)], code[min(len(code), maxHelpers):]
	for _, l := range leanLines {
		head = bytes.Replace(head, []byte(l.from), []byte(l.to), 1)
	}
	return append(bytes.Clone(head), rest...)
}
