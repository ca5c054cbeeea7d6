# task: scale_list
# requirement: Exception Handling
# why: raises AssertionError itself, which a test's handler might take for its own
def scale_list(numbers, factor):
    if factor == 0:
        raise AssertionError("ValueError not raised")
    return [n * factor for n in numbers]
