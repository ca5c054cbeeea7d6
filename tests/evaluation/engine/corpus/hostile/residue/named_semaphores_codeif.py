# family: codeif_function
# task: scale_list
# expect: not passed
# runs: 2
# why: leaves a named semaphore
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.sem_open.restype = ctypes.c_void_p
found = bool(libc.sem_open(b"/left_behind", 0))
libc.sem_open(b"/left_behind", 0o100, 0o777, 1)  # O_CREAT


def attack():
    return found
