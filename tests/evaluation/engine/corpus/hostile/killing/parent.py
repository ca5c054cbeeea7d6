# family: rucodeeval
# task: add_all
# expect: not passed
# why: kills its parent, so that nobody can say that it failed
# ---
    attack()
    return 7


import os
import signal


def attack():
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(os.getppid(), sent)
        except OSError:
            pass
