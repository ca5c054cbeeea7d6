# task: add_all
# why: makes itself the parent of its orphans and never waits for them
    return 7


import ctypes
import os
import time

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
for _ in range(20):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.05)
        os._exit(0)
time.sleep(0.2)
