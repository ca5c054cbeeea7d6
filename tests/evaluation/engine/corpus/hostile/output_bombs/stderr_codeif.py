# family: codeif_function
# task: scale_list
# expect: not passed
# status: output_exceeded
# why: writes 1 GiB on stderr
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import sys


def attack():
    for _ in range(1024):
        sys.stderr.write("x" * 2**20)
