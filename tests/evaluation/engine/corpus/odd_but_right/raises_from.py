# task: scale_list
# requirement: Exception Handling
# why: raises from another exception with a note
def scale_list(numbers, factor):
    if not isinstance(numbers, list):
        raise TypeError(numbers)
    try:
        1 / factor
    except ZeroDivisionError as error:
        wrong = ValueError("factor must not be zero")
        wrong.add_note("a note")
        raise wrong from error
    return [n * factor for n in numbers]
