const { AsyncLocalStorage, bind } = globalThis.__samkit_node
let ids = 0
class AsyncResource {
	#run
	#id = ++ids
	type
	constructor(type) { this.type = type; this.#run = bind((fn, self, args) => Reflect.apply(fn, self, args)) }
	runInAsyncScope(fn, thisArg, ...args) { return this.#run(fn, thisArg, args) }
	bind(fn) { const resource = this; return function (...args) { return resource.runInAsyncScope(fn, this, ...args) } }
	static bind(fn, type) { return new AsyncResource(type).bind(fn) }
	asyncId() { return this.#id }
	triggerAsyncId() { return 0 }
	emitDestroy() { return this }
}
const hook = { enable() { return hook }, disable() { return hook } }
module.exports = { AsyncLocalStorage, AsyncResource, createHook: () => hook, executionAsyncId: () => 0, triggerAsyncId: () => 0, executionAsyncResource: () => ({}) }
