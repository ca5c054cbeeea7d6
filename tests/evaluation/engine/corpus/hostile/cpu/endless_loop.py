# task: add_all
# status: timeout
# why: never returns
    attack()
    return 7


def attack():
    while True:
        pass
