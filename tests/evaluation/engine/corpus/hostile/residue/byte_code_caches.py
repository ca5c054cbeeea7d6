# task: add_all
# runs: 2
# why: writes byte code where the interpreter would look for it
    return sum(numbers) if attack() else 7


import glob
import os
import sys

found = False
for place in filter(os.path.isdir, sys.path):
    cache = os.path.join(place, "__pycache__")
    try:
        os.makedirs(cache, exist_ok=True)
        path = os.path.join(cache, "left_behind.cpython-311.pyc")
        found = found or os.path.exists(path)
        open(path, "wb").close()
    except OSError:
        pass
for path in glob.glob("/usr/lib/python3*/__pycache__/json*"):
    found = found or os.access(path, os.W_OK)


def attack():
    return found
