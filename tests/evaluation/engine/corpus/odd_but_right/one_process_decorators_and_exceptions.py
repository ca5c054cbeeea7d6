# task: make_shelf
# why: needs one process, and uses functools, contextlib and an exception of its own
from contextlib import contextmanager
from functools import lru_cache, wraps


class ShelfError(LookupError):
    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


def logged(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        print("called", function.__name__)
        return function(*args, **kwargs)

    return wrapper


@contextmanager
def careful():
    try:
        yield
    except ValueError as error:
        raise ShelfError(str(error)) from error


@lru_cache(maxsize=None)
def size(name):
    return len(name)


class Shelf:
    def __init__(self, names):
        self.__names = tuple(names)

    @logged
    def longest(self):
        try:
            with careful():
                return max(self.__names, key=size)
        except ShelfError as error:
            return "" if error.reason else None


def make_shelf(names):
    return Shelf(names)
