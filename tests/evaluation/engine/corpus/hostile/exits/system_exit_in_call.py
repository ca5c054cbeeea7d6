# family: rucodeeval
# task: add_all
# expect: not passed
# why: raises SystemExit with no status, which `except Exception` does not see
# ---
    attack()
    return 7


def attack():
    raise SystemExit
