# task: scale_list
# tier: outside
# why: registers subclasses and finds them by text
import sys


class Operation:
    known = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Operation.known[cls.__name__.lower()] = cls

    def __call__(self, left, right):
        raise NotImplementedError


class Times(Operation):
    def __call__(self, left, right):
        return getattr(left, "__mul__")(right)


def scale_list(numbers, factor):
    operation = getattr(sys.modules[__name__], "Operation").known["times"]()
    return [operation(number, factor) for number in numbers]
