# task: add_all
# status: output_exceeded
# why: writes 1 GiB on stderr
    attack()
    return 7


import sys


def attack():
    for _ in range(1024):
        sys.stderr.write("x" * 2**20)
