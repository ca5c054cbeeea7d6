# family: codeif_function
# task: scale_list
# expect: not passed
# status: timeout
# why: never returns
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    while True:
        pass
