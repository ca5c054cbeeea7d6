# family: codeif_function
# task: scale_list
# expect: not passed
# why: leaves with status 0 in the middle of the first test
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def attack():
    os._exit(0)
