# task: add_all
# runs: 2
# why: leaves modules that an interpreter loads when it starts, and sees whether they ran
    return sum(numbers) if attack() else 7


import os
import site
import sys

found = hasattr(sys, "left_behind")
PLACES = [os.getcwd(), "/tmp", site.getusersitepackages(), *site.getsitepackages(), *sys.path]
for place in filter(None, PLACES):
    for name in ("sitecustomize.py", "usercustomize.py", "left.pth", "encodings.py", "__main__.py"):
        try:
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, name), "w") as file:
                file.write("import sys; sys.left_behind = True\n")
        except OSError:
            pass


def attack():
    return found
