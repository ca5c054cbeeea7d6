# family: codeif_function
# task: scale_list
# expect: not passed
# why: closes every descriptor, so that nothing can be reported
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def attack():
    os.closerange(0, 256)
