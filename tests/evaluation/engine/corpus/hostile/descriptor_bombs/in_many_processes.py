# task: add_all
# why: opens as many files as it may in each of 60 processes
    return 7


import os
import time

for _ in range(60):
    try:
        if os.fork() == 0:
            try:
                while True:
                    os.open("/dev/null", os.O_RDONLY)
            except OSError:
                time.sleep(20)
            os._exit(0)
    except OSError:
        break
time.sleep(0.3)
