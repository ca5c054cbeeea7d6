# family: codeif_function
# task: scale_list
# expect: not passed
# runs: 2
# why: leaves a POSIX message queue
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import ctypes
import ctypes.util
import os

librt = ctypes.CDLL(ctypes.util.find_library("rt") or None, use_errno=True)


def attack():
    try:
        made = librt.mq_open(b"/left_behind", os.O_CREAT | os.O_RDWR, 0o777, None)
    except AttributeError:
        made = -1
    return made >= 0 or ctypes.CDLL(None).syscall(240, b"left", os.O_CREAT | os.O_RDWR, 0o777, 0) >= 0
