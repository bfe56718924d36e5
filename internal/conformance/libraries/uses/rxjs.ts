// rxjs
// Operators, subjects, higher-order streams, timers, retries, errors and a stream turned into a response.
// GET /
// GET /stream
import { BehaviorSubject, ReplaySubject, catchError, combineLatest, concatMap, defer, delay, filter, firstValueFrom, forkJoin, from, groupBy, interval, lastValueFrom, map, merge, mergeMap, of, reduce, retry, scan, share, switchMap, take, takeUntil, tap, throwError, timer, timeout, toArray, zip, bufferCount, EMPTY, EmptyError } from "rxjs";
import { fromFetch } from "rxjs/fetch";

export default {
  async fetch(request: Request) {
    if (new URL(request.url).pathname === "/stream") {
      const encoder = new TextEncoder();
      return new Response(new ReadableStream({
        start(c) { interval(1).pipe(take(4), map((n) => `tick ${n}\n`)).subscribe({ next: (s) => c.enqueue(encoder.encode(s)), complete: () => c.close() }); },
      }));
    }
    let tries = 0;
    const flaky = defer(() => (++tries < 3 ? throwError(() => new Error("try " + tries)) : of("third")));
    const state = new BehaviorSubject(0), log: unknown[] = [], replay = new ReplaySubject<number>(2);
    const sub = combineLatest({ a: state, b: of("x", "y") }).subscribe((v) => log.push(v));
    state.next(1); sub.unsubscribe(); state.next(2);
    [1, 2, 3].forEach((n) => replay.next(n)); replay.complete();
    const shared = timer(1, 1).pipe(take(3), tap((n) => log.push("s" + n)), share());
    return Response.json({
      sum: await lastValueFrom(from([1, 2, 3, 4]).pipe(filter((n) => n % 2 === 0), map((n) => n * 10), reduce((a, b) => a + b))),
      groups: await lastValueFrom(from(["ab", "c", "de", "f"]).pipe(groupBy((s) => s.length), mergeMap((g) => g.pipe(toArray(), map((all) => [g.key, all]))), toArray())),
      order: await lastValueFrom(from([3, 1, 2]).pipe(concatMap((n) => of(n).pipe(delay(n))), toArray())),
      switched: await lastValueFrom(from([1, 2]).pipe(switchMap((n) => timer(2).pipe(map(() => n))), toArray())),
      retried: await firstValueFrom(flaky.pipe(retry({ count: 3, delay: 1 }))), tries,
      caught: await firstValueFrom(throwError(() => new Error("e")).pipe(catchError((e) => of("caught " + e.message)))),
      joined: await firstValueFrom(forkJoin({ a: of(1, 2), b: Promise.resolve("p") })), zipped: await lastValueFrom(zip(of(1, 2), of("a", "b")).pipe(toArray())),
      scan: await lastValueFrom(merge(of(1), of(2, 3)).pipe(scan((a, n) => a + n, 0), bufferCount(2), toArray())),
      shared: await Promise.all([lastValueFrom(shared), lastValueFrom(shared)]), log, replayed: await lastValueFrom(replay.pipe(toArray())),
      timeout: await firstValueFrom(timer(1000).pipe(timeout(2))).catch((e) => [e.name, e.message]), empty: await firstValueFrom(EMPTY).catch((e) => [e instanceof EmptyError, e.message]),
      until: await lastValueFrom(interval(1).pipe(takeUntil(timer(5000)), take(2), toArray())),
      fetched: typeof fromFetch("http://a.example").subscribe,
    });
  },
};
