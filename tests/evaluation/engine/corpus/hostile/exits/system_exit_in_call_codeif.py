# family: codeif_function
# task: scale_list
# expect: not passed
# why: raises SystemExit with no status, which `except Exception` does not see
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    raise SystemExit
