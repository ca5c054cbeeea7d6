# task: bump_count
# tier: outside
# why: is decorated by a class and uses a descriptor
import functools


class Default:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else instance.__dict__.setdefault(self.name, 0)


class Step:
    start = Default()


class traced:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.calls = function, 0

    def __call__(self, *given, **named):
        self.calls += 1
        return self.function(*given, **named)


@traced
def bump_count(counts, key):
    counts[key] = counts.get(key, Step().start) + 1
