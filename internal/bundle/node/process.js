// What is left of https://nodejs.org/api/process.html on Workers: no environment but the variables of env, and no system.
const strings = () => Object.fromEntries(Object.entries(globalThis.__samkit_env ?? {}).filter(([, v]) => typeof v === "string"))
let env
const hrtime = previous => {
	const now = performance.now(), s = Math.floor(now / 1000), ns = Math.floor(now % 1000 * 1e6)
	if (!previous) return [s, ns]
	const d = (s - previous[0]) * 1e9 + ns - previous[1]
	return [Math.floor(d / 1e9), d % 1e9]
}
hrtime.bigint = () => BigInt(Math.floor(performance.now() * 1e6))
module.exports = {
	get env() { return env ??= strings() }, set env(v) { env = v },
	argv: [], execArgv: [], argv0: "", platform: "linux", arch: "x64", pid: 1, title: "workerd", version: "v22.14.0", versions: { node: "22.14.0" }, release: { name: "node" }, features: {}, exitCode: undefined,
	cwd: () => "/", nextTick: (fn, ...args) => queueMicrotask(() => fn(...args)), hrtime, uptime: () => performance.now() / 1000, emitWarning: w => console.warn(String(w)),
	memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }), on() { return this }, once() { return this }, off() { return this }, addListener() { return this }, removeListener() { return this }, emit: () => false, listeners: () => [], listenerCount: () => 0,
	exit() { throw new Error("process.exit is not available in functions") }, getBuiltinModule: () => undefined,
}
