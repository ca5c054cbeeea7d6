# task: add_all
# status: timeout
# why: catches whatever is thrown at it and goes on
    attack()
    return 7


def attack():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
