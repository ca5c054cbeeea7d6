# family: rucodeeval
# task: add_all
# expect: not passed
# why: opens the memory of every process that is not its own
# ---
    return sum(numbers) if attack() else 7


import os


def attack():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) != os.getpid():
            try:
                os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))
                return True
            except OSError:
                pass
    return False
