# family: rucodeeval
# task: add_all
# expect: not passed
# why: leaves past every handler with status 0 before any test can run
# ---
    return 7


import os

os._exit(0)
