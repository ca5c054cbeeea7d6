# family: rucodeeval
# task: add_all
# expect: not passed
# why: ends itself by SIGTERM, as if the harness had stopped it
# ---
    return 7


import os
import signal

os.kill(os.getpid(), signal.SIGTERM)
