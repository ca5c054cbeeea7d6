# task: countdown
# tier: outside
# why: returns an array
from array import array


def countdown(start):
    return array("l", range(start, 0, -1))
