# family: codeif_function
# task: scale_list
# expect: not passed
# why: leaves as many unreaped children as it can
# ---
def scale_list(numbers, factor):
    return [7]


import os

for _ in range(500):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        os._exit(0)
