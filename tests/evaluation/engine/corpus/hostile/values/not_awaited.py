# task: add_all
# why: returns a coroutine instead of its value
    async def total():
        return sum(numbers)

    return total()
