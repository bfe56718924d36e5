// Built-ins of ECMAScript, most of 2024 to 2026, that goja lacks, as the specification words them.
(() => {
	const { defineProperty, getPrototypeOf, create } = Object
	const define = (o, methods) => {
		for (const name of Reflect.ownKeys(methods)) {
			if (!(name in o)) defineProperty(o, name, { value: methods[name], writable: true, enumerable: false, configurable: true })
		}
	}
	const callable = (fn, what = "callback") => {
		if (typeof fn !== "function") throw new TypeError(`The ${what} is not a function`)
		return fn
	}
	return {
		groupBy() {
			const each = (items, fn, put) => {
				if (items == null) throw new TypeError("The items are not iterable")
				callable(fn)
				let i = 0
				for (const item of items) put(fn(item, i++), item)
			}
			define(Object, { groupBy(items, callback) {
				const groups = create(null)
				each(items, callback, (key, item) => {
					if (typeof key !== "symbol") key = `${key}`
					if (key in groups) groups[key].push(item)
					else defineProperty(groups, key, { value: [item], writable: true, enumerable: true, configurable: true })
				})
				return groups
			} })
			define(Map, { groupBy(items, callback) {
				const groups = new Map()
				each(items, callback, (key, item) => {
					const group = groups.get(key)
					if (group) group.push(item)
					else groups.set(key, [item])
				})
				return groups
			} })
		},

		fromAsync() {
			define(Array, { async fromAsync(items, map = undefined, thisArg = undefined) {
				if (map !== undefined) callable(map, "mapper")
				if (items == null) throw new TypeError("The items are not iterable")
				const iterate = items[Symbol.asyncIterator] ?? items[Symbol.iterator]
				const constructs = typeof this === "function" && this !== Array
				let i = 0
				if (iterate == null) {
					const length = Math.min(Math.max(Math.trunc(items.length) || 0, 0), Number.MAX_SAFE_INTEGER)
					const out = constructs ? new this(length) : Array(length)
					for (; i < length; i++) {
						let v = await items[i]
						if (map) v = await map.call(thisArg, v, i)
						defineProperty(out, i, { value: v, writable: true, enumerable: true, configurable: true })
					}
					out.length = length
					return out
				}
				const out = constructs ? new this() : []
				const it = iterate.call(items)
				const sync = items[Symbol.asyncIterator] == null
				for (;;) {
					const step = sync ? it.next() : await it.next()
					if (typeof step !== "object" || step === null) throw new TypeError("The result of the iterator is not an object")
					if (step.done) break
					try {
						let v = sync ? await step.value : step.value
						if (map) v = await map.call(thisArg, v, i)
						defineProperty(out, i++, { value: v, writable: true, enumerable: true, configurable: true })
					} catch (e) {
						try { await it.return?.() } catch {}
						throw e
					}
				}
				out.length = i
				return out
			} })
		},

		promises() {
			define(Promise, {
				withResolvers() {
					let resolve, reject
					const promise = new this((a, b) => { resolve = a; reject = b })
					return { promise, resolve, reject }
				},
				try(callback, ...args) {
					return new this((resolve, reject) => {
						try { resolve(callback(...args)) } catch (e) { reject(e) }
					})
				},
			})
		},

		// goja's refuses the primitives that it should wrap.
		typedFrom() {
			const typed = getPrototypeOf(Uint8Array)
			const original = typed.from
			const { from } = { from(source, ...rest) {
				const wrapped = source == null || typeof source === "object" || typeof source === "function" ? source : typeof source === "string" ? [...source] : Object(source)
				return Reflect.apply(original, this, [wrapped, ...rest])
			} }
			defineProperty(from, "length", { value: 1, configurable: true })
			defineProperty(typed, "from", { value: from, writable: true, enumerable: false, configurable: true })
		},

		disposable() {
			const global = (name, value) => { if (!(name in globalThis)) defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true }) }
			class SuppressedError extends Error {
				constructor(error, suppressed, message) {
					super(message)
					for (const [k, value] of [["error", error], ["suppressed", suppressed]]) defineProperty(this, k, { value, writable: true, enumerable: false, configurable: true })
				}
			}
			for (const [k, value] of [["name", "SuppressedError"], ["message", ""]]) defineProperty(SuppressedError.prototype, k, { value, writable: true, enumerable: false, configurable: true })
			global("SuppressedError", SuppressedError)
			const method = (v, async) => {
				const fn = async ? v[Symbol.asyncDispose] ?? v[Symbol.dispose] : v[Symbol.dispose]
				return callable(fn, "dispose method")
			}
			const both = (failed, error, e) => failed ? new globalThis.SuppressedError(e, error) : e
			const stack = (name, async) => {
				const disposal = Symbol[async ? "asyncDispose" : "dispose"], run = async ? "disposeAsync" : "dispose"
				const Stack = { [name]: class {
					#list = []
					#over = false
					#open() { if (this.#over) throw new ReferenceError("The stack is disposed") }
					get disposed() { return this.#over }
					use(v) {
						this.#open()
						if (v === null || v === undefined) return v
						const fn = method(v, async)
						this.#list.push(() => fn.call(v))
						return v
					}
					adopt(v, fn) {
						this.#open()
						callable(fn)
						this.#list.push(() => fn(v))
						return v
					}
					defer(fn) {
						this.#open()
						callable(fn)
						this.#list.push(() => fn())
					}
					move() {
						this.#open()
						const to = new Stack()
						to.#list = this.#list
						this.#list = []
						this.#over = true
						return to
					}
					_take() {
						if (this.#over) return []
						this.#over = true
						return this.#list.reverse()
					}
				} }[name]
				const take = Stack.prototype._take
				delete Stack.prototype._take
				const methods = async ? { async disposeAsync() {
					let failed = false, error
					for (const fn of take.call(this)) {
						try { await fn() } catch (e) { error = both(failed, error, e); failed = true }
					}
					if (failed) throw error
				} } : { dispose() {
					let failed = false, error
					for (const fn of take.call(this)) {
						try { fn() } catch (e) { error = both(failed, error, e); failed = true }
					}
					if (failed) throw error
				} }
				define(Stack.prototype, methods)
				defineProperty(Stack.prototype, disposal, { value: Stack.prototype[run], writable: true, enumerable: false, configurable: true })
				defineProperty(Stack.prototype, Symbol.toStringTag, { value: name, configurable: true })
				global(name, Stack)
			}
			stack("DisposableStack", false)
			stack("AsyncDisposableStack", true)
		},

		upsert() {
			for (const C of [Map, WeakMap]) {
				const { has, get, set } = C.prototype, { apply } = Reflect
				define(C.prototype, {
					getOrInsert(key, value) {
						if (apply(has, this, [key])) return apply(get, this, [key])
						apply(set, this, [key, value])
						return value
					},
					getOrInsertComputed(key, compute) {
						const there = apply(has, this, [key])
						callable(compute)
						if (there) return apply(get, this, [key])
						const value = compute(key === 0 ? 0 : key)
						apply(set, this, [key, value])
						return value
					},
				})
			}
		},

		numbers() {
			define(Math, {
				f16round(x) {
					x = +x
					if (x === 0 || x !== x || x === Infinity || x === -Infinity) return x
					const a = Math.abs(x), unit = a < 2 ** -14 ? 2 ** -24 : 2 ** (Math.floor(Math.log2(a)) - 10)
					const step = a / unit >= 2048 ? unit * 2 : a >= 2 ** -14 && a / unit < 1024 ? unit / 2 : unit
					const n = a / step, low = Math.floor(n), rest = n - low
					const r = (rest > 0.5 || rest === 0.5 && low % 2 ? low + 1 : low) * step
					return Math.sign(x) * (r > 65504 ? Infinity : r)
				},
				// Exact by integers: every finite number is a multiple of 2 ** -1074.
				sumPrecise(items) {
					if (items == null) throw new TypeError("The items are not iterable")
					const view = new DataView(new ArrayBuffer(8))
					let sum = 0n, zero = true, up = false, down = false, nan = false
					for (const x of items) {
						if (typeof x !== "number") throw new TypeError("An item is not a number")
						if (x !== x) nan = true
						else if (x === Infinity) up = true
						else if (x === -Infinity) down = true
						else {
							if (!Object.is(x, -0)) zero = false
							view.setFloat64(0, x)
							const bits = view.getBigUint64(0), e = Number(bits >> 52n & 0x7ffn), m = bits & 0xfffffffffffffn
							const v = e ? (m | 0x10000000000000n) << BigInt(e - 1) : m
							sum += bits >> 63n ? -v : v
						}
					}
					if (nan || up && down) return NaN
					if (up || down) return up ? Infinity : -Infinity
					if (sum === 0n) return zero ? -0 : 0
					const negative = sum < 0n
					let v = negative ? -sum : sum
					const length = v.toString(2).length, drop = Math.max(length - 53, 0)
					if (drop) { // round to even
						const half = 1n << BigInt(drop - 1), rest = v & ((1n << BigInt(drop)) - 1n)
						v >>= BigInt(drop)
						if (rest > half || rest === half && v & 1n) v++
					}
					let r = Number(v)
					for (let e = drop - 1074; e !== 0;) { // in steps, since 2 ** -1074 is the least there is
						const step = Math.max(Math.min(e, 1000), -1000)
						r *= 2 ** step
						e -= step
					}
					return negative ? -r : r
				},
			})
		},

		iterators() {
			const proto = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()))
			const object = o => {
				if (typeof o !== "object" && typeof o !== "function" || o === null) throw new TypeError("The value is not an object")
				return o
			}
			const direct = o => ({ o: object(o), next: o.next })
			const step = it => object(it.next.call(it.o))
			const close = it => { it.o.return?.() }
			// closing runs fn and closes the iterator if it throws.
			const closing = (it, fn) => {
				try { return fn() } catch (e) {
					try { close(it) } catch {}
					throw e
				}
			}
			const need = (o, fn) => {
				object(o)
				if (typeof fn === "function") return fn
				closing({ o }, () => callable(fn))
			}
			const count = (o, n) => closing({ o: object(o) }, () => {
				n = Number(n)
				if (n !== n) throw new RangeError("The limit is not a number")
				n = Math.trunc(n)
				if (n < 0) throw new RangeError("The limit is negative")
				return n
			})
			const helperProto = create(proto)
			const states = new WeakMap()
			define(helperProto, {
				next() { return run(this, s => s.gen.next()) },
				return() {
					return run(this, s => {
						if (s.begun) return s.gen.return()
						s.begun = true
						s.gen.return() // it has not begun, and so does not close what it reads
						close(s.it)
						return { value: undefined, done: true }
					})
				},
			})
			defineProperty(helperProto, Symbol.toStringTag, { value: "Iterator Helper", configurable: true })
			const run = (o, fn) => {
				const s = states.get(o)
				if (!s) throw new TypeError("This is not an Iterator Helper")
				try { return fn(s) } finally { s.begun = true }
			}
			const helper = (it, gen) => {
				const h = create(helperProto)
				states.set(h, { it, gen: gen(it), begun: false })
				return h
			}
			// each yields what fn makes of the items, and closes the iterator when it is left early.
			const each = fn => function* (it) {
				let whole = false
				try {
					for (let i = 0; ; i++) {
						whole = true // an iterator that fails is not closed
						const s = step(it)
						if (s.done) return
						const v = s.value
						whole = false
						yield* fn(v, i)
					}
				} catch (e) {
					if (!whole) { whole = true; try { close(it) } catch {} }
					throw e
				} finally {
					if (!whole) close(it)
				}
			}
			const flattened = v => {
				object(v)
				const method = v[Symbol.iterator]
				return direct(method == null ? v : object(callable(method, "iterator").call(v)))
			}
			define(proto, {
				map(fn) { need(this, fn); return helper(direct(this), each(function* (v, i) { yield fn(v, i) })) },
				filter(fn) { need(this, fn); return helper(direct(this), each(function* (v, i) { if (fn(v, i)) yield v })) },
				take(limit) {
					const n = count(this, limit)
					return helper(direct(this), function* (it) {
						let left = n, whole = false
						try {
							for (;;) {
								if (left === 0) return
								left--
								whole = true
								const s = step(it)
								if (s.done) return
								const v = s.value
								whole = false
								yield v
							}
						} finally {
							if (!whole) close(it)
						}
					})
				},
				drop(limit) {
					const n = count(this, limit)
					return helper(direct(this), each(function* (v, i) { if (i >= n) yield v }))
				},
				flatMap(fn) {
					need(this, fn)
					return helper(direct(this), each(function* (v, i) {
						const inner = flattened(fn(v, i))
						yield* each(function* (w) { yield w })(inner)
					}))
				},
				reduce(fn, ...initial) {
					need(this, fn)
					const it = direct(this)
					let acc, i = 0
					if (initial.length) acc = initial[0]
					else {
						const s = step(it)
						if (s.done) throw new TypeError("Reduce of a done iterator with no initial value")
						acc = s.value
						i = 1
					}
					for (let s; !(s = step(it)).done; i++) {
						const v = s.value
						acc = closing(it, () => fn(acc, v, i))
					}
					return acc
				},
				toArray() {
					const it = direct(this), out = []
					for (let s; !(s = step(it)).done;) out.push(s.value)
					return out
				},
				forEach(fn) {
					need(this, fn)
					const it = direct(this)
					for (let i = 0, s; !(s = step(it)).done; i++) { const v = s.value; closing(it, () => fn(v, i)) }
				},
				some(fn) {
					need(this, fn)
					const it = direct(this)
					for (let i = 0, s; !(s = step(it)).done; i++) { const v = s.value; if (closing(it, () => fn(v, i))) { close(it); return true } }
					return false
				},
				every(fn) {
					need(this, fn)
					const it = direct(this)
					for (let i = 0, s; !(s = step(it)).done; i++) { const v = s.value; if (!closing(it, () => fn(v, i))) { close(it); return false } }
					return true
				},
				find(fn) {
					need(this, fn)
					const it = direct(this)
					for (let i = 0, s; !(s = step(it)).done; i++) { const v = s.value; if (closing(it, () => fn(v, i))) { close(it); return v } }
				},
			})
			if (typeof globalThis.Iterator !== "undefined") return
			const Iterator = function () {
				if (new.target === undefined || new.target === Iterator) throw new TypeError("Iterator is an abstract class")
			}
			defineProperty(Iterator, "name", { value: "Iterator" })
			defineProperty(Iterator, "prototype", { value: proto, writable: false })
			defineProperty(proto, "constructor", { value: Iterator, writable: true, enumerable: false, configurable: true })
			if (!(Symbol.toStringTag in proto)) {
				defineProperty(proto, Symbol.toStringTag, { value: "Iterator", writable: true, enumerable: false, configurable: true })
			}
			const wrapProto = create(proto)
			define(wrapProto, {
				next() { const it = states.get(this); return it.next.call(it.o) },
				return() { const { o } = states.get(this); return o.return ? o.return() : { value: undefined, done: true } },
			})
			define(Iterator, { from(o) {
				if (typeof o !== "string") object(o)
				const method = o[Symbol.iterator]
				const it = direct(method == null ? o : callable(method, "iterator").call(o))
				if (proto.isPrototypeOf(it.o)) return it.o
				const w = create(wrapProto)
				states.set(w, it)
				return w
			} })
			define(Iterator, { concat(...items) {
				const parts = items.map(o => [object(o), callable(o[Symbol.iterator], "iterator")])
				return (function* () { for (const [o, fn] of parts) yield* { [Symbol.iterator]: () => fn.call(o) } })()
			} })
			defineProperty(globalThis, "Iterator", { value: Iterator, writable: true, enumerable: false, configurable: true })
		},
	}
})()
