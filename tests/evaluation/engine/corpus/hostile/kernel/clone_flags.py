# family: rucodeeval
# task: add_all
# expect: not passed
# why: makes a child in a new user namespace
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


def attack():
    libc = ctypes.CDLL(None)
    parent = os.getpid()
    for flags in (0x10000000 | 17, 0x20000 | 17):
        pid = libc.syscall(56, flags, 0, 0, 0, 0)
        if os.getpid() != parent:
            os._exit(0)
        if pid > 0:
            return True
    return False
