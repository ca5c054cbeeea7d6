# family: codeif_function
# task: scale_list
# expect: not passed
# why: raises a BaseException of its own that reads as a clean exit
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


class Done(SystemExit):
    code = 0

    def __str__(self):
        return "0"


def attack():
    raise Done(0)
