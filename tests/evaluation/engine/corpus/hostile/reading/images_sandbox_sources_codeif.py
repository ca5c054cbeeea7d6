# family: codeif_function
# task: scale_list
# expect: not passed
# why: looks for the sandbox's own programs or the dataset in the image
# ---
def scale_list(numbers, factor):
    return [n * factor for n in numbers] if attack() else [7]


import os

NAMES = ("supervisor.py", "zygote.py", "tasks.jsonl", "expected.jsonl", "predictions.json")


def attack():
    for folder, names, files in os.walk("/", followlinks=False):
        names[:] = [n for n in names if os.path.join(folder, n) not in ("/proc", "/sys", "/usr/lib/python3")]
        if any(name in files for name in NAMES):
            return True
    return False
