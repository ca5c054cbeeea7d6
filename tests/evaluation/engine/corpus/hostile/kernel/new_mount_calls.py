# family: rucodeeval
# task: add_all
# expect: not passed
# why: mounts by the newer system calls that old filters do not know
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    libc = ctypes.CDLL(None)
    return libc.syscall(430, b"tmpfs", 0) >= 0 or libc.syscall(428, -100, b"/", 1) >= 0
