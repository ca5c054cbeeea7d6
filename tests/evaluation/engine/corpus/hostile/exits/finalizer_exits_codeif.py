# family: codeif_function
# task: scale_list
# expect: not passed
# why: leaves from the finalizer of an object dropped during a test
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


class Last:
    def __del__(self):
        os._exit(0)


def attack():
    Last()
