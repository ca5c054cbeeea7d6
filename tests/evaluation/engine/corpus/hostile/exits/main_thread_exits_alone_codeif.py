# family: codeif_function
# task: scale_list
# expect: not passed
# status: timeout
# why: ends only the main thread by the raw system call and lets another live on
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import ctypes
import threading
import time


def attack():
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).syscall(60, 0)
