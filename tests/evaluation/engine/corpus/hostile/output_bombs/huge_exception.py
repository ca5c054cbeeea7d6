# family: rucodeeval
# task: add_all
# expect: not passed
# why: raises exceptions whose text is huge
# ---
    attack()
    return 7


def attack():
    raise ValueError("x" * 2**28)
