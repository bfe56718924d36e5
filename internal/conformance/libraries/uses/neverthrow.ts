// neverthrow
// Results and asynchronous results chained, combined, wrapped around what throws, and unwrapped early with safeTry.
import { err, errAsync, fromPromise, fromThrowable, ok, okAsync, Result, ResultAsync, safeTry } from "neverthrow";

const parse = fromThrowable(JSON.parse, (e) => (e as Error).name);
const half = (n: number) => (n % 2 ? err(`${n} is odd`) : ok(n / 2));
export default {
  async fetch() {
    const show = (r: Result<any, any>) => r.match((v) => ["ok", v], (e) => ["err", e]);
    const early = await safeTry(async function* () { const a = yield* okAsync(2); const b = yield* half(a * 5); return ok(a + (yield* half(b))); });
    return Response.json({
      parsed: [show(parse('{"a":1}')), show(parse("{"))], chain: [8, 6].map((n) => show(half(n).andThen(half).map((x) => x + 1).mapErr((e) => e + "!"))), combined: [show(Result.combine([ok(1), ok("a")])), show(Result.combineWithAllErrors([ok(1), err("x"), err("y")]))],
      async: [show(await okAsync(3).andThen(async2).map(async (n) => n * 2)), show(await errAsync("no").orElse(() => okAsync("rescued"))), show(await fromPromise(Promise.reject(new Error("p")), (e) => (e as Error).message)), show(await ResultAsync.combine([okAsync(1), errAsync("e")]))], early: show(early), or: half(3).unwrapOr(0), tee: show(ok(1).andTee(() => { throw 0; })), unsafe: (() => { try { err("x")._unsafeUnwrap(); } catch (e) { return e; } })(),
    });
  },
};
const async2 = (n: number) => ResultAsync.fromSafePromise(Promise.resolve(n + 1));
