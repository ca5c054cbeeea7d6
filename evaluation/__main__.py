"""`python -m evaluation`: the engine without the web."""

import signal
import sys

from evaluation.cli import main

if __name__ == "__main__":
    # SIGTERM ends it like Ctrl-C, so that it leaves no container behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
