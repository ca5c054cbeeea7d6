# task: add_all
# why: overruns the C stack by recursion without a limit
    attack()
    return 7


import sys


def attack():
    sys.setrecursionlimit(10**9)

    class Deep:
        def __getattr__(self, name):
            return getattr(self, name)

    return Deep().x
