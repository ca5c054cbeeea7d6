# family: rucodeeval
# task: add_all
# expect: not passed
# why: loads a BPF map or opens a performance counter
# ---
    return sum(numbers) if attack() else 7


import ctypes
import struct


def attack():
    libc = ctypes.CDLL(None)
    mapping = ctypes.create_string_buffer(struct.pack("IIII", 2, 4, 8, 1).ljust(128, b"\0"))
    event = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0).ljust(112, b"\0"))
    return libc.syscall(321, 0, mapping, 128) >= 0 or libc.syscall(298, event, 0, -1, -1, 0) >= 0
