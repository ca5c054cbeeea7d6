# family: rucodeeval
# task: add_all
# expect: not passed
# why: leaves from a generator's close, outside of any frame that catches
# ---
    attack()
    return 7


import os


def steps():
    try:
        yield 1
    finally:
        os._exit(0)


def attack():
    next(steps())
