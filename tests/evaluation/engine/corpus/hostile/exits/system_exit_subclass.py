# family: rucodeeval
# task: add_all
# expect: not passed
# why: raises a BaseException of its own that reads as a clean exit
# ---
    attack()
    return 7


class Done(SystemExit):
    code = 0

    def __str__(self):
        return "0"


def attack():
    raise Done(0)
