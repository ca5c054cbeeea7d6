# task: scale_list
# requirement: Exception Handling
# why: returns the exception instead of raising it
def scale_list(numbers, factor):
    if factor == 0:
        return ValueError("factor must not be zero")
    if not isinstance(numbers, list):
        return TypeError("numbers must be a list")
    return [n * factor for n in numbers]
