// What the tests of streams share.
import { settle } from "../harness.js"

/** Says whether a promise is pending, fulfilled or rejected once all due jobs have run. */
export const stateOf = (p) => Promise.race([p.then(() => "fulfilled", () => "rejected"), settle().then(() => "pending")])

/** All chunks of a stream. */
export async function chunksOf(stream) {
	const reader = stream.getReader(), all = []
	for (;;) {
		const { value, done } = await reader.read()
		if (done) return all
		all.push(value)
	}
}

/** A stream of chunks that are there already. */
export const streamOf = (...chunks) => new ReadableStream({ start(c) { for (const x of chunks) c.enqueue(x); c.close() } })

/** A stream and its controller. */
export function readable(source = {}, strategy) {
	let controller
	const stream = new ReadableStream({ ...source, start(c) { controller = c; return source.start?.(c) } }, strategy)
	return { stream, controller }
}

/** A sink that keeps what happens to it in log, and its stream. */
export function recorder(sink = {}, strategy) {
	const log = []
	let controller
	const stream = new WritableStream({
		start(c) { controller = c; return sink.start?.(c) },
		write(chunk, c) { log.push(["write", chunk]); return sink.write?.(chunk, c) },
		close() { log.push(["close"]); return sink.close?.() },
		abort(e) { log.push(["abort", e]); return sink.abort?.(e) },
	}, strategy)
	return { stream, controller, log }
}

/** A promise and what settles it. */
export function deferred() {
	let resolve, reject
	const promise = new Promise((f, r) => { resolve = f; reject = r })
	return { promise, resolve, reject }
}
