# family: rucodeeval
# task: add_all
# expect: not passed
# why: becomes the debugger of a child of its own to get around filters
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


def attack():
    pid = os.fork()
    if pid == 0:
        os._exit(7 if ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0 else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
