# task: add_all
# why: dies of SIGSEGV by reading address 0
    attack()
    return 7


import ctypes


def attack():
    ctypes.string_at(0)
