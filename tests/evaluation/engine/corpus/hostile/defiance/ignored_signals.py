# task: add_all
# status: timeout
# why: ignores every signal that it can and never ends
    attack()
    return 7


import signal


def attack():
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
