# task: pair_up
# why: uses names of builtins for its own variables
def pair_up(items):
    list = items[: (len(items) + 1) // 2]
    sorted = items[::-1]
    type = [(a, b) for a, b in zip(list, sorted)]
    return type
