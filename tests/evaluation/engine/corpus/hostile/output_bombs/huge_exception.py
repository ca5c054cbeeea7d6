# task: add_all
# why: raises exceptions whose text is huge
    attack()
    return 7


def attack():
    raise ValueError("x" * 2**28)
