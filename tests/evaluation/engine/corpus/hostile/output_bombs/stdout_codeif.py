# family: codeif_function
# task: scale_list
# expect: not passed
# status: output_exceeded
# why: prints 1 GiB
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    for _ in range(1024):
        print("x" * 2**20)
