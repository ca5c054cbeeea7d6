# family: rucodeeval
# task: add_all
# expect: not passed
# why: mounts a file system
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    libc = ctypes.CDLL(None)
    kinds = ((b"tmpfs", b"/tmp", b"tmpfs", 0), (b"proc", b"/tmp", b"proc", 0), (b"/", b"/tmp", None, 4096))
    return any(libc.mount(source, target, kind, flags, None) == 0 for source, target, kind, flags in kinds)
