# task: countdown
# tier: outside
# why: returns what takewhile returns
from itertools import count, takewhile


def countdown(start):
    return takewhile(lambda number: number > 0, count(start, -1))
