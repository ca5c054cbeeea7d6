# family: codeif_function
# task: scale_list
# expect: not passed
# status: timeout
# why: burns time in children while it sleeps itself
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os
import time


def attack():
    for _ in range(4):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(600)
