# task: scale_list
# status: timeout
# why: stops reading and writing while its process lives on
def scale_list(numbers, factor):
    attack()
    return [7]


import os
import threading
import time


def attack():
    if os.fork() != 0:
        os._exit(0)
    threading.Event().wait(600)
    time.sleep(600)
