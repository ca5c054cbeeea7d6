# family: codeif_function
# task: scale_list
# expect: not passed
# why: leaves a parenthesis open
# ---
def scale_list(numbers, factor):
    return [7]


_ = lambda: (
