# task: add_all
# why: opens files until it may not
    attack()
    return 7


import os


def attack():
    held = []
    try:
        for number in range(100000):
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    return held
