# family: codeif_function
# task: scale_list
# expect: not passed
# why: leaves past every handler with status 0 before any test can run
# ---
def scale_list(numbers, factor):
    return [7]


import os

os._exit(0)
