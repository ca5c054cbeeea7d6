# task: mean_of
# requirement: Exception Handling
# why: raises an exception that inherits one builtin class
class NoNumbers(ValueError):
    pass


def mean_of(numbers):
    if not numbers:
        raise NoNumbers("no numbers")
    return sum(numbers) / len(numbers)
