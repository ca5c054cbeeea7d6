# task: add_all
# status: output_exceeded
# why: writes 1 GiB past Python's buffers on both streams
    return 7


import os

for _ in range(1024):
    os.write(1, b"\xff" * 2**20)
    os.write(2, b"\x00" * 2**20)
