# task: scale_list
# requirement: Code Complexity
# why: is decorated with functools.wraps
import functools


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        for _ in range(2):
            if args or kwargs:
                pass
        return function(*args, **kwargs)
    return inner


@logged
def scale_list(numbers, factor):
    return [n * factor for n in numbers]
