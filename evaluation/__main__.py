"""`python -m evaluation`: the engine without the web."""

import signal
import sys

from evaluation.cli import main

if __name__ == "__main__":
    # Asked to end in whichever way, it leaves no container.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
