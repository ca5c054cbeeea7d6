# task: add_all
# status: timeout
# why: hides its /proc files from whoever counts its time, and burns
    attack()
    return 7


import ctypes


def attack():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    while True:
        pass
