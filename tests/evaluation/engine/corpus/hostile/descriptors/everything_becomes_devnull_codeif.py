# family: codeif_function
# task: scale_list
# expect: not passed
# why: turns every descriptor into /dev/null behind the harness's back
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def attack():
    null = os.open("/dev/null", os.O_RDWR)
    for fd in range(256):
        if fd != null:
            os.dup2(null, fd)
