# task: add_all
# why: runs an event loop, which opens a pair of sockets
    import asyncio

    async def one(number):
        await asyncio.sleep(0)
        return number

    async def total():
        return sum(await asyncio.gather(*(one(number) for number in numbers)))

    return asyncio.run(total())
