# task: add_all
# status: timeout
# why: burns time in children while it sleeps itself
    attack()
    return 7


import os
import time


def attack():
    for _ in range(4):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(600)
