# task: mean_of
# requirement: Exception Handling
# defence: exceptions
# why: inherits several builtin exceptions by classes of its own
class Wrong(ValueError):
    pass


class Missing(KeyError):
    pass


class Other(TypeError):
    pass


class Everything(Wrong, Missing, Other):
    pass


def mean_of(numbers):
    if not numbers:
        raise Everything("no numbers")
    return sum(numbers) / len(numbers)
