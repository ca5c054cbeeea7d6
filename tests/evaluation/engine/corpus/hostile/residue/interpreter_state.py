# task: add_all
# runs: 2
# why: pollutes interned and cached objects that a later child might share
    return sum(numbers) if attack() else 7


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
