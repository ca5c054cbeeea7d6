# family: codeif_function
# task: scale_list
# expect: not passed
# why: opens the memory of its parent and of process 1
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import os


def attack():
    for pid in {os.getppid(), 1}:
        for name in ("mem", "maps", "auxv", "stack", "syscall", "pagemap"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    if name != "mem" and file.read(64):
                        return True
                    if name == "mem":
                        return True
            except (OSError, ValueError):
                pass
    return False
