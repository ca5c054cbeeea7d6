# task: add_all
# why: waits for input that never comes
    return 7


import sys

sys.stdin.read()
input()
