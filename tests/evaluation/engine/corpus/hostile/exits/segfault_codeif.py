# family: codeif_function
# task: scale_list
# expect: not passed
# why: dies of SIGSEGV by reading address 0
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import ctypes


def attack():
    ctypes.string_at(0)
