# family: codeif_function
# task: countdown
# expect: passed
# tier: outside
# why: the items of an iterator are asked for, whatever its class
# ---
from collections.abc import Iterator


class Countdown(Iterator):
    def __init__(self, start):
        self.number = start + 1

    def __next__(self):
        self.number -= 1
        if self.number < 1:
            raise StopIteration
        return self.number


def countdown(start):
    return Countdown(start)
