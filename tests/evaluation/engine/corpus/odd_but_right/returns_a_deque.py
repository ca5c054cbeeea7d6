# task: countdown
# tier: outside
# why: returns a deque
from collections import deque


def countdown(start):
    numbers = deque()
    for number in range(1, start + 1):
        numbers.appendleft(number)
    return numbers
