# family: codeif_function
# task: scale_list
# expect: not passed
# why: calls the site module's quit, which closes stdin first
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    quit(0)
