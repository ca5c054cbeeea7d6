# family: rucodeeval
# task: add_all
# expect: not passed
# why: changes its root directory
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


def attack():
    try:
        os.chroot("/tmp")
        return True
    except OSError:
        return ctypes.CDLL(None).syscall(155, b"/tmp", b"/tmp") == 0
