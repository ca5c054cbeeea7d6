# family: rucodeeval
# task: add_all
# expect: not passed
# why: opens a userfaultfd, with which races are won
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    return any(ctypes.CDLL(None).syscall(323, flags) >= 0 for flags in (0, 1))
