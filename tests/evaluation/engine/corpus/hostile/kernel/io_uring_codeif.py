# family: codeif_function
# task: scale_list
# expect: not passed
# why: sets up an io_uring, which could do forbidden calls (numbers of x86-64)
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import ctypes


def attack():
    return ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(256)) >= 0
