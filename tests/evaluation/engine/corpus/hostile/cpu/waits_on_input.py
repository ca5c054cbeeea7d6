# family: rucodeeval
# task: add_all
# expect: not passed
# why: waits for input that never comes
# ---
    return 7


import sys

sys.stdin.read()
input()
