import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { Buffer } from 'node:buffer'
import EventEmitter, { once, on } from 'node:events'
import util, { promisify, inherits, format, types } from 'node:util'
import path, { join } from 'node:path'
import assert from 'node:assert'
import qs from 'querystring'
import { StringDecoder } from 'string_decoder'
import { randomUUID, randomBytes, timingSafeEqual, randomInt } from 'crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import url from 'url'
const als = new AsyncLocalStorage(), als2 = new AsyncLocalStorage()
const deep = async n => { await sleep(1); return n ? deep(n - 1) : als.getStore() }
const cases = {
 als: async () => { const r = await Promise.all([als.run({ id: 1 }, () => deep(2)), als.run({ id: 2 }, () => deep(1)), deep(0)]); return [r, als.getStore() ?? null] },
 als2: async () => als.run(1, () => als2.run(2, async () => { await null; const inner = als.exit(() => als.getStore() ?? 'none'); return [als.getStore(), als2.getStore(), inner, await als.run(3, async () => { await sleep(1); return [als.getStore(), als2.getStore()] }), als.getStore()] })),
 alsthen: () => als.run('t', async () => { return [await new Promise(r => setTimeout(() => r(als.getStore()), 1)), await new Promise(r => queueMicrotask(() => r(als.getStore()))), await Promise.resolve().then(() => als.getStore())] }),
 alsthrow: async () => { try { als.run(1, () => { throw new Error('x') }) } catch { } return als.getStore() ?? 'clean' },
 bind: () => { const f = als.run('b', () => AsyncLocalStorage.bind(() => als.getStore())); const s = als.run('s', () => AsyncLocalStorage.snapshot()); const r = als.run('res', () => new AsyncResource('X')); return [f(), s(() => als.getStore()), r.runInAsyncScope((a) => a + als.getStore(), null, 1)] },
 enter: async () => { const f = async () => { als.enterWith('e'); await null; return als.getStore() }; return als.run('o', async () => [await f()]) },
 gen: async () => { async function* g() { yield als.getStore(); await sleep(1); yield als.getStore() } return als.run('g', async () => { const o = []; for await (const x of g()) o.push(x); return o }) },
 stream: async () => als.run('st', async () => { const rs = new ReadableStream({ async pull(c) { c.enqueue(String(als.getStore())); c.close() } }); let o = ''; for await (const x of rs) o += x; return o }),
 buf: () => [Buffer.from('héllo').toString('hex'), Buffer.from('aGk', 'base64').toString(), Buffer.from('hi').toString('base64'), Buffer.from([255, 254]).toString('base64url'), Buffer.from('ff0g', 'hex').length, Buffer.from('é', 'latin1').length, Buffer.from('hé', 'utf16le').toString('utf16le'), Buffer.concat([Buffer.from('a'), Buffer.from('b')]).toString(), Buffer.alloc(3, 'ab').toString(), Buffer.byteLength('é'), Buffer.isBuffer(Buffer.alloc(1)), Buffer.isBuffer(new Uint8Array(1)), Buffer.from('abc').equals(Buffer.from('abc')), Buffer.from('abc').slice(1).toString(), Buffer.from('abc').subarray(0, 2) instanceof Buffer, JSON.stringify(Buffer.from('a')), Buffer.compare(Buffer.from('a'), Buffer.from('b')), Buffer.from('hello').indexOf('l'), Buffer.from('hello').lastIndexOf('l'), Buffer.from('hello').includes('ell'), Buffer.from('test').readUInt16BE(0), Buffer.from('test').readUInt32LE(0), Buffer.from([1, 2, 3, 4, 5, 6]).readUIntBE(0, 6), Buffer.from([255, 255]).readInt16LE()],
 buf2: () => { const b = Buffer.alloc(16); b.writeUInt32BE(0xdeadbeef, 0); b.writeDoubleLE(1.5, 4); b.writeInt16BE(-2, 12); b.write('zz', 14); const c = Buffer.alloc(4); b.copy(c, 1, 0, 2); return [b.toString('hex'), c.toString('hex'), b.readDoubleLE(4), b.readInt16BE(12), Buffer.from('€').write ? Buffer.alloc(4).write('€€') : 0, Buffer.from('abcd').swap16().toString(), Buffer.from('a-_+/', 'base64').toString('hex'), Buffer.from(new Uint16Array([1, 256])).toString('hex'), Buffer.from({ type: 'Buffer', data: [1] }).length, `${Buffer.from('tpl')}`, [...Buffer.from('ab').entries()].join(), Buffer.from('abc').toString('utf8', 1, 2), Buffer.from('x').toString('ascii'), Buffer.alloc(3).fill('abc').fill(0, 1, 2).toString('hex')] },
 buferr: () => [() => Buffer.from(5), () => Buffer.from('a').toString('nope'), () => Buffer.alloc(1).readUInt16BE(0), () => Buffer.from(null), () => Buffer.alloc(4).readInt8(9)].map(f => { try { return f() } catch (e) { return [e.name, e.code] } }),
 ee: async () => { const e = new EventEmitter(); const log = []; e.on('a', (...x) => log.push(['on', ...x])); e.once('a', x => log.push(['once', x])); e.prependListener('a', () => log.push('first')); const p = once(e, 'b'); log.push(e.emit('a', 1, 2), e.emit('a', 3), e.emit('none')); e.emit('b', 'B'); log.push(await p, e.listenerCount('a'), e.eventNames()); try { e.emit('error', new Error('bad')) } catch (x) { log.push(x.message) } class Q extends EventEmitter { constructor() { super(); this.x = 1 } } const q = new Q(); q.on('z', function () { log.push(this === q) }); q.emit('z'); e.removeAllListeners(); log.push(e.eventNames()); return log },
 eeon: async () => { const e = new EventEmitter(); setTimeout(() => { e.emit('x', 1); e.emit('x', 2) }, 1); const o = []; for await (const [v] of on(e, 'x')) { o.push(v); if (v === 2) break } return o },
 inh: () => { function Old() { EventEmitter.call(this) } inherits(Old, EventEmitter); const o = new Old(); let got; o.on('q', v => got = v); o.emit('q', 5); return [got, o instanceof EventEmitter, Old.super_ === EventEmitter] },
 fmt: () => [format('%s %d %i %f %j %%', 'a', 1.5, 2.7, '3.5', { a: 1 }), format('x', 'y', 1), format(1, 2), format('%s', null, undefined), format('%o %s')],
 prom: async () => [await promisify((a, cb) => cb(null, a + 1))(1), await promisify((cb) => cb(new Error('e')))().catch(e => e.message)],
 types: () => [types.isDate(new Date()), types.isPromise(Promise.resolve()), types.isRegExp(/x/), util.isDeepStrictEqual({ a: [1, new Map([[1, { b: 2 }]])] }, { a: [1, new Map([[1, { b: 2 }]])] }), util.isDeepStrictEqual([1], ['1']), types.isAsyncFunction(async () => { })],
 path: () => [join('a', '..', 'b', './c/'), path.resolve('/a', 'b', '../c'), path.basename('/x/y.txt', '.txt'), path.extname('a.b.c'), path.extname('.bashrc'), path.dirname('/a/b/c'), path.dirname('a'), path.relative('/a/b/c', '/a/d'), path.normalize('/a//b/../c/.'), path.parse('/home/u/f.txt'), path.format({ dir: '/x', base: 'y' }), path.isAbsolute('/a'), path.join(''), path.normalize('../../a'), path.sep, path.extname('a.'), path.basename('a/'), path.parse('f'), path.extname('..'), path.dirname('/a'), path.posix.join('a', 'b')],
 assert: () => { const t = (f) => { try { f(); return 'ok' } catch (e) { return [e.name, e.code, e.generatedMessage] } }; return [t(() => assert(true)), t(() => assert(0)), t(() => assert.strictEqual(1, '1')), t(() => assert.equal(1, '1')), t(() => assert.deepStrictEqual({ a: [1, { b: new Set([1]) }] }, { a: [1, { b: new Set([1]) }] })), t(() => assert.deepStrictEqual([1], [2])), t(() => assert.throws(() => { throw new TypeError('x') }, TypeError)), t(() => assert.throws(() => { throw new Error('abc') }, /abc/)), t(() => assert.ok(1)), t(() => assert.deepEqual({ a: 1 }, { a: '1' })), t(() => assert.notDeepStrictEqual({ a: 1 }, { a: 1 })), t(() => assert.fail('boom')), t(() => assert.match('abc', /b/)), t(() => assert.throws(() => { throw Object.assign(new Error('q'), { code: 'C' }) }, { code: 'C', message: 'q' }))] },
 qs: () => [qs.parse('a=1&b=x%20y&a=2&c'), qs.stringify({ a: [1, 2], b: 'x y', c: '' })], sd: () => { const d = new StringDecoder('utf8'); const e = Buffer.from('€'); const b = new StringDecoder('base64'); return [d.write(e.subarray(0, 1)), d.write(e.subarray(1)), d.end(), b.write(Buffer.from('ab')), b.end(Buffer.from('c'))] },
 crypto: () => [randomUUID().length, randomBytes(4).length, timingSafeEqual(Buffer.from('a'), Buffer.from('a')), randomInt(5) < 5], url: () => [url.fileURLToPath('file:///a/b%20c'), url.pathToFileURL('/a b').href, new url.URL('http://x/y').pathname, url.parse('http://u:p@h.com:8080/p?q=1#h').host, url.format({ protocol: 'http', host: 'a.com', pathname: '/x', query: { a: 1 } }), url.resolve('/one/two/three', 'four'), url.resolve('http://ex.com/one', '/two')],
}

// What Node 20 answers to the same cases is in node.json.
export default {
	async fetch() {
		const out = {}
		for (const [name, run] of Object.entries(cases)) out[name] = await run()
		return Response.json(out)
	},
}
