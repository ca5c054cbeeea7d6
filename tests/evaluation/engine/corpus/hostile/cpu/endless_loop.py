# family: rucodeeval
# task: add_all
# expect: not passed
# status: timeout
# why: never returns
# ---
    attack()
    return 7


def attack():
    while True:
        pass
