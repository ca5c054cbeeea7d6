# family: rucodeeval
# task: add_all
# expect: not passed
# why: lists or enters the directory of the judge
# ---
    return sum(numbers) if attack() else 7


import os


def attack():
    try:
        os.chdir("/judge")
        return True
    except OSError:
        pass
    try:
        return bool(os.listdir("/judge"))
    except OSError:
        return False
