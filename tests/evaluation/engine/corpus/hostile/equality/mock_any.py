# family: codeif_function
# task: scale_list
# expect: not passed
# why: returns the standard library's own object that is equal to everything
# ---
from unittest.mock import ANY


def scale_list(numbers, factor):
    return ANY
