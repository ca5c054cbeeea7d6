# task: scale_list
# why: leaves a parenthesis open
def scale_list(numbers, factor):
    return [7]


_ = lambda: (
