# task: add_all
# why: raises a long chain of exceptions with long texts
    attack()
    return 7


def attack():
    error = None
    for number in range(2000):
        link = ValueError("x" * 2**16)
        link.__cause__ = error
        error = link
    raise error
