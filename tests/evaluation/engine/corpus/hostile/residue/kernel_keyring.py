# family: rucodeeval
# task: add_all
# expect: not passed
# runs: 2
# why: keeps a payload in the kernel's keyrings
# ---
    return sum(numbers) if attack() else 7


import ctypes

libc = ctypes.CDLL(None, use_errno=True)


def attack():
    session, user = -3, -4
    return any(libc.syscall(248, b"user", b"left", b"x", 1, ring) >= 0 for ring in (session, user))
