# family: rucodeeval
# task: add_all
# expect: not passed
# why: leaves by the raw system call, past patched functions of os
# ---
    attack()
    return 7


import ctypes


def attack():
    ctypes.CDLL(None).syscall(231, 0)
