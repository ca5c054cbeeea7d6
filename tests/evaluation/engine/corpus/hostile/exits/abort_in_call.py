# task: add_all
# why: dies of SIGABRT, which a harness may take for its own failure
    attack()
    return 7


import os


def attack():
    os.abort()
