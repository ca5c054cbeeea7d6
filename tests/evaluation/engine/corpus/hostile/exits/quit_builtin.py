# family: rucodeeval
# task: add_all
# expect: not passed
# why: calls the site module's quit, which closes stdin first
# ---
    attack()
    return 7


def attack():
    quit(0)
