# family: codeif_function
# task: scale_list
# expect: not passed
# why: raises GeneratorExit, which ends loops silently
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    raise GeneratorExit
