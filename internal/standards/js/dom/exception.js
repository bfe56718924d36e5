// DOMException: Web IDL, 2.8.
import { is, ok, same, test, throws } from "../harness.js"

const names = {
	IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5, NoModificationAllowedError: 7, NotFoundError: 8,
	NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
	InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21,
	TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25, EncodingError: 0, OperationError: 0, DataError: 0, Whatever: 0,
}
for (const [name, code] of Object.entries(names)) test("the code of " + name, () => { is(new DOMException("m", name).code, code) })

test("message and name have defaults", () => {
	const e = new DOMException()
	same([e.message, e.name, e.code], ["", "Error", 0])
	same([new DOMException(undefined, undefined).name, new DOMException(null).message], ["Error", "null"])
})
test("it is an Error with a stack", () => {
	const e = new DOMException("m", "N")
	ok(e instanceof Error && e instanceof DOMException)
	is(typeof e.stack, "string")
	is(String(e), "N: m")
	is(Object.prototype.toString.call(e), "[object DOMException]")
})
test("its prototype is an Error's", () => {
	is(Object.getPrototypeOf(DOMException.prototype), Error.prototype)
	is(Object.hasOwn(new DOMException("m"), "message"), false)
})
test("its constants are on class and prototype", () => {
	is(DOMException.ABORT_ERR, 20)
	is(DOMException.prototype.DATA_CLONE_ERR, 25)
	is(DOMException.INDEX_SIZE_ERR, 1)
})
test("its members check what they are called on", () => {
	throws(() => Object.getOwnPropertyDescriptor(DOMException.prototype, "name").get.call({}), TypeError)
})
test("it needs new", () => { throws(() => DOMException("m"), TypeError) })
