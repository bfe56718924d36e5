import asyncio

async def work(name, seconds, log):
    log.append(f"{name} begins")
    await asyncio.sleep(seconds)
    log.append(f"{name} ends")
    return name.upper()

async def main():
    log = []
    print(await asyncio.gather(work("a", 0.03, log), work("b", 0.01, log)), log)
    q = asyncio.Queue(2)

    async def produce():
        for i in range(5):
            await q.put(i)
        await q.put(None)

    async def consume():
        got = []
        while (x := await q.get()) is not None:
            got.append(x)
        return got

    async with asyncio.TaskGroup() as g:
        g.create_task(produce())
        t = g.create_task(consume())
    print(t.result())
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)
    except TimeoutError as e:
        print("late", repr(e))
    t = asyncio.create_task(asyncio.sleep(60))
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print("cancelled", t.cancelled())
    lock, event = asyncio.Lock(), asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, event.set)
    async with lock:
        print(await event.wait(), lock.locked())
    done, pending = await asyncio.wait([asyncio.create_task(asyncio.sleep(s, s)) for s in (0.01, 60)], return_when=asyncio.FIRST_COMPLETED)
    print([d.result() for d in done], len(pending))
    try:
        async with asyncio.TaskGroup() as g:
            g.create_task(asyncio.sleep(60))
            g.create_task(fail())
    except* ValueError as e:
        print(repr(e), e.exceptions)
    return "done"

async def fail():
    raise ValueError("no")

print(asyncio.run(main()))
