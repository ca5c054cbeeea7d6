# task: next_id
# why: counts its calls in a closure
def counter():
    count = 0

    def step():
        nonlocal count
        count += 1
        return count

    return step


next_id = counter()
