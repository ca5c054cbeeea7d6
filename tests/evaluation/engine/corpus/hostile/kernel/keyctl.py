# family: rucodeeval
# task: add_all
# expect: not passed
# why: joins a session keyring
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    libc = ctypes.CDLL(None)
    return libc.syscall(250, 1, b"mine") >= 0 or libc.syscall(250, 0, -3, 1) >= 0
