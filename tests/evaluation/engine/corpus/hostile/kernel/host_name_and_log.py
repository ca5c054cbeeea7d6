# family: rucodeeval
# task: add_all
# expect: not passed
# why: changes the host name or reads the kernel's log
# ---
    return sum(numbers) if attack() else 7


import ctypes
import socket


def attack():
    try:
        socket.sethostname("taken")
        return True
    except OSError:
        return ctypes.CDLL(None).klogctl(3, ctypes.create_string_buffer(64), 64) > 0
