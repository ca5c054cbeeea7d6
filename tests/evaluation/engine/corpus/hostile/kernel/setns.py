# family: rucodeeval
# task: add_all
# expect: not passed
# why: enters the namespaces of process 1
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


def attack():
    libc = ctypes.CDLL(None)
    for name in ("mnt", "pid", "net", "user", "ipc", "uts"):
        try:
            if libc.setns(os.open(f"/proc/1/ns/{name}", os.O_RDONLY), 0) == 0:
                return True
        except OSError:
            pass
    return False
