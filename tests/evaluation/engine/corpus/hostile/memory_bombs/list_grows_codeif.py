# family: codeif_function
# task: scale_list
# expect: not passed
# status: memory_exceeded
# why: grows a list to 4 GiB
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    held = []
    for _ in range(512):
        held.append(bytearray(2**23))
        held[-1][::4096] = b"x" * 2048
    return held
