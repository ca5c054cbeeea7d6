# family: rucodeeval
# task: add_all
# expect: not passed
# why: sets up an io_uring, which could do forbidden calls (numbers of x86-64)
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    return ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(256)) >= 0
