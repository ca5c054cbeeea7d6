# family: codeif_function
# task: scale_list
# expect: not passed
# why: starts threads until it may not, 2,000 at most
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import threading
import time


def attack():
    for _ in range(2000):
        try:
            threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        except RuntimeError:
            break
