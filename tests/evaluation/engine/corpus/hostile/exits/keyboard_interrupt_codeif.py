# family: codeif_function
# task: scale_list
# expect: not passed
# why: raises KeyboardInterrupt, which a runner may take for the operator's
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    raise KeyboardInterrupt
