# task: add_all
# why: closes every descriptor, so that nothing can be reported
    attack()
    return 7


import os


def attack():
    os.closerange(0, 256)
