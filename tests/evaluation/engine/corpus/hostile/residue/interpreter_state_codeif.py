# family: codeif_function
# task: scale_list
# expect: not passed
# runs: 2
# why: pollutes interned and cached objects that a later child might share
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import builtins
import decimal
import json
import os
import sys

found = any(hasattr(module, "left_behind") for module in (builtins, sys, json, decimal)) or "LEFT" in os.environ
for module in (builtins, sys, json, decimal):
    module.left_behind = True
os.environ["LEFT"] = "1"
sys.path.insert(0, "/tmp/left")


def attack():
    return found
