# family: rucodeeval
# task: add_all
# expect: not passed
# status: memory_exceeded|runtime_error|failed
# why: doubles a text up to 4 GiB
# ---
    attack()
    return 7


def attack():
    text = "x"
    while len(text) < 2**32:
        text += text
