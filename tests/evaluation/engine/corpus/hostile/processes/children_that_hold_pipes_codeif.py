# family: codeif_function
# task: scale_list
# expect: not passed
# status: timeout|runtime_error|failed
# why: children keep every descriptor open so that no end of file ever comes
# ---
def scale_list(numbers, factor):
    return [7]


import os
import time

for _ in range(20):
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    except OSError:
        break
os._exit(0)
