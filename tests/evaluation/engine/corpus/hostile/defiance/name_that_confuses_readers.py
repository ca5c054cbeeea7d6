# task: add_all
# status: timeout
# why: burns in children whose names break the reading of /proc/<pid>/stat
    return 7


import ctypes
import os
import time

for name in (b") Z 1 1 1 0 (", b"a) R 0\n1 (b", b"\xff\xfe)\n", b"", b"python3"):
    if os.fork() == 0:
        os.setsid()
        ctypes.CDLL(None).prctl(15, name, 0, 0, 0)  # PR_SET_NAME
        while True:
            pass
time.sleep(60)
