# task: add_all
# status: timeout
# why: blocks every signal and never ends
    return 7


import signal

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True:
    pass
