# family: rucodeeval
# task: add_all
# expect: not passed
# why: attaches to its parent or process 1 as a debugger
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


def attack():
    libc = ctypes.CDLL(None)
    attach, seize = 16, 0x4206
    return any(libc.ptrace(how, pid, 0, 0) == 0 for how in (attach, seize) for pid in (os.getppid(), 1))
