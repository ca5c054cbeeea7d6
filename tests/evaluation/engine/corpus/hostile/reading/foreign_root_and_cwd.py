# task: add_all
# why: walks through other processes' root and working directory
    return sum(numbers) if attack() else 7


import os


def attack():
    for pid in {os.getppid(), 1}:
        for name in ("root", "cwd", "exe", "map_files", "ns/mnt"):
            try:
                os.stat(f"/proc/{pid}/{name}")
                os.listdir(f"/proc/{pid}/{name}/.")
                return True
            except OSError:
                pass
    return False
