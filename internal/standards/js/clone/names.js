// The names of cloned properties: HTML, 2.7.3.
import { is, same, test } from "../harness.js"

test("properties whose names have lone surrogates are cloned", () => {
	const c = structuredClone({ "\ud800": 1, "\udfff": 2, a: { "x\ud83d": 3 } })
	same(Object.keys(c), ["\ud800", "\udfff", "a"])
	is(c["\udfff"], 2)
	is(c.a["x\ud83d"], 3)
})
