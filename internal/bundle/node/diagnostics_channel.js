const channels = new Map()
class Channel {
	#subscribers = []
	constructor(name) { this.name = name }
	get hasSubscribers() { return this.#subscribers.length > 0 }
	subscribe(fn) { this.#subscribers = [...this.#subscribers, fn] }
	unsubscribe(fn) { const n = this.#subscribers.length; this.#subscribers = this.#subscribers.filter(f => f !== fn); return this.#subscribers.length < n }
	publish(message) { for (const fn of this.#subscribers) { try { fn(message, this.name) } catch (e) { reportError(e) } } }
	runStores(message, fn, self, ...args) { this.publish(message); return Reflect.apply(fn, self, args) }
}
const channel = name => channels.get(name) ?? (channels.set(name, new Channel(name)), channels.get(name))
module.exports = { Channel, channel, hasSubscribers: name => channels.get(name)?.hasSubscribers ?? false, subscribe: (name, fn) => channel(name).subscribe(fn), unsubscribe: (name, fn) => channel(name).unsubscribe(fn) }
