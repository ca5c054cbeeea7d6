# task: add_all
# why: asks for a signal at its parent's end and clears its limits' signals
    return 7


import ctypes
import signal

ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
for number in (signal.SIGXCPU, signal.SIGXFSZ, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
with open("/tmp/large", "wb") as file:
    for _ in range(1024):
        file.write(b"x" * 2**20)
