# family: rucodeeval
# task: add_all
# expect: not passed
# why: makes namespaces of its own, in which it would be root
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    libc = ctypes.CDLL(None)
    return any(libc.unshare(flag) == 0 for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000))
