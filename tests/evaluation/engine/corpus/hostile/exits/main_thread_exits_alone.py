# task: add_all
# status: timeout
# why: ends only the main thread by the raw system call and lets another live on
    attack()
    return 7


import ctypes
import threading
import time


def attack():
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).syscall(60, 0)
