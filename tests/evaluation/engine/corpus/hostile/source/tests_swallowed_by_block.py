# task: scale_list
# why: ends in a block that never runs
def scale_list(numbers, factor):
    return [7]


if False:
