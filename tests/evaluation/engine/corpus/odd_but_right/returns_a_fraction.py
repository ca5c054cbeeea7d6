# task: mean_of
# why: returns an exact fraction where a number is expected
from fractions import Fraction


def mean_of(numbers):
    return Fraction(sum(numbers), len(numbers))
