# family: codeif_function
# task: scale_list
# expect: not passed
# why: raises exceptions whose text is huge
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    raise ValueError("x" * 2**28)
