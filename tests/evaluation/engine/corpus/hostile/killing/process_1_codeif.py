# family: codeif_function
# task: scale_list
# expect: not passed
# why: kills or stops process 1 of the container
# ---
def scale_list(numbers, factor):
    return [7]


import os
import signal

for sent in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
    try:
        os.kill(1, sent)
    except OSError:
        pass
