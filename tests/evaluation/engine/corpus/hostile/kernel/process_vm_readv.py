# family: rucodeeval
# task: add_all
# expect: not passed
# why: reads another process's memory without opening it
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def attack():
    libc = ctypes.CDLL(None)
    here = ctypes.create_string_buffer(64)
    mine = Vector(ctypes.addressof(here), 64)
    theirs = Vector(id(os), 64)
    return any(libc.syscall(number, pid, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0) >= 0
               for number in (310, 311) for pid in (os.getppid(), 1))
