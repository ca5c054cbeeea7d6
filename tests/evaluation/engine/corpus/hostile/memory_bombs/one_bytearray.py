# family: rucodeeval
# task: add_all
# expect: not passed
# status: memory_exceeded|runtime_error|failed
# why: asks for 4 GiB at once and touches all of it
# ---
    attack()
    return 7


def attack():
    held = bytearray(2**32)
    for start in range(0, len(held), 2**20):
        held[start:start + 2**20] = b"x" * 2**20
