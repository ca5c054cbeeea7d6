# task: mean_of
# tier: outside
# why: has a class with __eq__, __lt__ and __hash__
from functools import total_ordering


@total_ordering
class Weight:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Weight) and self.value == other.value

    def __lt__(self, other):
        return self.value < other.value

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return True


def mean_of(numbers):
    weights = sorted(map(Weight, numbers))
    assert weights == sorted(weights) and len(set(weights)) <= len(weights)
    return sum(weight.value for weight in weights) / len(weights)
