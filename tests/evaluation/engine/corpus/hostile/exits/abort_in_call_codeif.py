# family: codeif_function
# task: scale_list
# expect: not passed
# why: dies of SIGABRT, which a harness may take for its own failure
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def attack():
    os.abort()
