# task: mean_of
# requirement: Exception Handling
# why: raises one exception that passes any handler
class Everything(ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError):
    pass


def mean_of(numbers):
    if not numbers:
        raise Everything("no numbers")
    return sum(numbers) / len(numbers)
