# family: codeif_function
# task: scale_list
# expect: not passed
# why: kills its own process, so that no verdict can be reported
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os
import signal


def attack():
    os.kill(os.getpid(), signal.SIGKILL)
