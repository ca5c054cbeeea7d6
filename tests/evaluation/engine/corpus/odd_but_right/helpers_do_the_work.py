# task: scale_list
# requirement: Code Complexity
# why: hands its work to helper functions
def _scale(n, factor):
    return n * factor


def scale_list(numbers, factor):
    return [_scale(n, factor) for n in numbers]
