# task: add_all
# why: raises KeyboardInterrupt, which a runner may take for the operator's
    attack()
    return 7


def attack():
    raise KeyboardInterrupt
