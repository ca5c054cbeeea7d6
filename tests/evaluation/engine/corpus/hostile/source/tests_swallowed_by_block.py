# family: codeif_function
# task: scale_list
# expect: not passed
# why: ends in a block that never runs
# ---
def scale_list(numbers, factor):
    return [7]


if False:
