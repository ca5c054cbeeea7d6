# task: add_all
# status: memory_exceeded
# why: maps anonymous shared memory and touches 4 GiB of it
    attack()
    return 7


import mmap


def attack():
    held = []
    for _ in range(64):
        area = mmap.mmap(-1, 2**26)
        for start in range(0, 2**26, 4096):
            area[start] = 1
        held.append(area)
