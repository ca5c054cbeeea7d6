# task: scale_list
# requirement: Exception Handling
# why: raises a subclass of the expected exception
class ZeroFactor(ValueError):
    def __init__(self, message, factor):
        super().__init__(message)
        self.factor = factor


def scale_list(numbers, factor):
    if not isinstance(numbers, list):
        raise TypeError("numbers must be a list")
    if factor == 0:
        raise ZeroFactor("factor must not be zero", factor)
    return [n * factor for n in numbers]
