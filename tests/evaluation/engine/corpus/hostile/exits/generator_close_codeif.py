# family: codeif_function
# task: scale_list
# expect: not passed
# why: leaves from a generator's close, outside of any frame that catches
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def steps():
    try:
        yield 1
    finally:
        os._exit(0)


def attack():
    next(steps())
