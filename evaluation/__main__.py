"""`python -m evaluation`: the engine without the web."""

import sys

from evaluation.cli import main

if __name__ == "__main__":
    sys.exit(main())
