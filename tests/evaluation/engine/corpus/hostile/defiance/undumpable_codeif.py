# family: codeif_function
# task: scale_list
# expect: not passed
# status: timeout
# why: hides its /proc files from whoever counts its time, and burns
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import ctypes


def attack():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    while True:
        pass
