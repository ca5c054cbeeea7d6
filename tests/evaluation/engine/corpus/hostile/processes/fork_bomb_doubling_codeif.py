# family: codeif_function
# task: scale_list
# expect: not passed
# why: doubles its processes ten times over
# ---
def scale_list(numbers, factor):
    return [7]


import os
import time

for _ in range(10):
    try:
        os.fork()
    except OSError:
        pass
time.sleep(0.2)
