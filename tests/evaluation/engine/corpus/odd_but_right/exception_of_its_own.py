# task: mean_of
# requirement: Exception Handling
# tier: outside
# why: raises an exception that inherits two builtin classes
class NoNumbers(ValueError, ZeroDivisionError):
    pass


def mean_of(numbers):
    if not numbers:
        raise NoNumbers("no numbers")
    return sum(numbers) / len(numbers)
