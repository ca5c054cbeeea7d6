# task: add_all
# status: timeout
# why: burns time in double-forked orphans and then lets the tests wait
    return 7


import os
import time

for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                pass
        os._exit(0)
time.sleep(30)
