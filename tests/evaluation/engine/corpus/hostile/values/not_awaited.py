# family: rucodeeval
# task: add_all
# expect: not passed
# why: returns a coroutine instead of its value
# ---
    async def total():
        return sum(numbers)

    return total()
