# task: scale_list
# requirement: Code Standard
# why: keeps to the style, with a docstring and comments
from typing import List


def scale_list(numbers: List[int], factor: int) -> List[int]:
    """
    Scale every number.

    Returns a new list.
    """
    # The caller's list is left as it is.
    scaled = []

    for number in numbers:
        scaled.append(number * factor)

    return scaled
