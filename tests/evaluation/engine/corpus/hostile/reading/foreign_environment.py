# task: add_all
# why: reads the environment of another user's process
    return sum(numbers) if attack() else 7


import os


def attack():
    for pid in {os.getppid(), 1}:
        try:
            open(f"/proc/{pid}/environ", "rb").read()
            return True
        except OSError:
            pass
    return False
