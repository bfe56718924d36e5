// effect
// Generators of effects with services, typed failures, retries by schedule, concurrency, timeouts, streams and schemas.
import { Cause, Context, Data, Duration, Effect, Exit, Fiber, Layer, Option, pipe, Ref, Schedule, Schema, Stream } from "effect";

class NotFound extends Data.TaggedError("NotFound")<{ id: number }> {}
class Users extends Context.Service<Users, { readonly get: (id: number) => Effect.Effect<string, NotFound> }>()("Users") {}
const UsersLive = Layer.succeed(Users)({ get: (id) => (id > 2 ? Effect.fail(new NotFound({ id })) : Effect.succeed("user " + id)) });
const User = Schema.Struct({ name: Schema.String.check(Schema.isMinLength(2)), age: Schema.NumberFromString, tags: Schema.Array(Schema.Literals(["a", "b"])), at: Schema.optional(Schema.DateTimeUtcFromString) });

export default {
  async fetch() {
    const program = Effect.gen(function* () {
      const users = yield* Users;
      const found = yield* Effect.all([users.get(1), users.get(2)], { concurrency: "unbounded" });
      const missing = yield* users.get(9).pipe(Effect.catchTag("NotFound", (e) => Effect.succeed("no " + e.id)));
      const counter = yield* Ref.make(0);
      const flaky = Ref.updateAndGet(counter, (n) => n + 1).pipe(Effect.flatMap((n) => (n < 3 ? Effect.fail("again") : Effect.succeed(n))));
      const retried = yield* Effect.retry(flaky, Schedule.recurs(5));
      const slow = yield* Effect.sleep("1 second").pipe(Effect.timeoutOption("5 millis"));
      const order: string[] = [];
      yield* Effect.scoped(Effect.gen(function* () { yield* Effect.acquireRelease(Effect.sync(() => order.push("open")), () => Effect.sync(() => order.push("close"))); order.push("use"); }));
      const fiber = yield* Effect.forkChild(Effect.sleep(2).pipe(Effect.as("forked")));
      const squares = yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.sleep(Duration.millis(5 - n)).pipe(Effect.as(n * n)), { concurrency: 2 });
      const stream = yield* Stream.range(1, 6).pipe(Stream.filter((n) => n % 2 === 0), Stream.mapEffect((n) => Effect.succeed(n * 10)), Stream.runCollect);
      return { found, missing, retried, slow: Option.isNone(slow), order, forked: yield* Fiber.join(fiber), squares, stream: [...stream] };
    });
    const result = await Effect.runPromise(Effect.provide(program, UsersLive));
    const exit = await Effect.runPromiseExit(Effect.gen(function* () { return yield* (yield* Users).get(7); }).pipe(Effect.provide(UsersLive)));
    const bad = Schema.decodeUnknownExit(User)({ name: "x", age: "1", tags: ["a", "c"] });
    return Response.json({ result, failed: Exit.isFailure(exit) && Option.getOrNull(Cause.findErrorOption(exit.cause)), decoded: Schema.decodeUnknownSync(User)({ name: "Ada", age: "36", tags: ["a"] }), bad: Exit.isFailure(bad) && String(Option.getOrNull(Cause.findErrorOption(bad.cause))), piped: pipe(5, (n) => n + 1, String), sync: Effect.runSync(Effect.succeed(1)) });
  },
};
