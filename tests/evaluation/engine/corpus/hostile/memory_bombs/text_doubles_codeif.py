# family: codeif_function
# task: scale_list
# expect: not passed
# status: memory_exceeded|runtime_error|failed
# why: doubles a text up to 4 GiB
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    text = "x"
    while len(text) < 2**32:
        text += text
