# task: add_all
# status: memory_exceeded
# why: grows a list to 4 GiB
    attack()
    return 7


def attack():
    held = []
    for _ in range(512):
        held.append(bytearray(2**23))
        held[-1][::4096] = b"x" * 2048
    return held
