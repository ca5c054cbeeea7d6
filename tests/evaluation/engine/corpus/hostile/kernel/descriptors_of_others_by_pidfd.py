# family: rucodeeval
# task: add_all
# expect: not passed
# why: copies an open descriptor out of another process
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


def attack():
    libc = ctypes.CDLL(None)
    for pid in (os.getppid(), 1):
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            continue
        if any(libc.syscall(438, handle, fd, 0) >= 0 for fd in range(16)):
            return True
    return False
