# task: add_all
# status: output_exceeded
# why: children print 1 GiB in all
    return 7


import os
import time

for _ in range(8):
    if os.fork() == 0:
        for _ in range(128):
            os.write(1, b"y\n" * 2**19)
        os._exit(0)
time.sleep(2)
