# task: add_all
# why: leaves from the finalizer of an object dropped during a test
    attack()
    return 7


import os


class Last:
    def __del__(self):
        os._exit(0)


def attack():
    Last()
