# task: add_all
# why: limits itself by an alarm
    import signal

    def too_slow(*found):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_slow)
    signal.alarm(3)
    try:
        return sum(numbers)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
