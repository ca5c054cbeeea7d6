# family: rucodeeval
# task: add_all
# expect: not passed
# why: signals its parent through a pidfd
# ---
    return sum(numbers) if attack() else 7


import os
import signal


def attack():
    for pid in {os.getppid(), 1}:
        try:
            signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGKILL)
            return True
        except OSError:
            pass
    return False
