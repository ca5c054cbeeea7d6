# family: codeif_function
# task: scale_list
# expect: not passed
# why: closes every descriptor before the tests arrive
# ---
def scale_list(numbers, factor):
    return [7]


import os

os.closerange(0, 4096)
