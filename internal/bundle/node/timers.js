const wait = (ms, v, { signal } = {}) => new Promise((resolve, reject) => {
	if (signal?.aborted) return reject(signal.reason)
	const t = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve(v) }, ms)
	const stop = () => { clearTimeout(t); reject(signal.reason) }
	signal?.addEventListener("abort", stop, { once: true })
})
const promises = { setTimeout: wait, setImmediate: v => wait(0, v), async *setInterval(ms, v, options) { for (;;) { await wait(ms, undefined, options); yield v } }, scheduler: { wait: (ms, o) => wait(ms, undefined, o), yield: () => wait(0) } }
module.exports = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate: (fn, ...args) => setTimeout(fn, 0, ...args), clearImmediate: clearTimeout, promises }
