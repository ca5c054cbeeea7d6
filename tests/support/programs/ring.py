"""An embedded Valkey under a supervisor: `ring.py DIRECTORY`."""

from __future__ import annotations

import sys
from pathlib import Path

from evaluation.supervision import Supervisor
from evaluation.valkey import EmbeddedValkey

if __name__ == "__main__":
    valkey = EmbeddedValkey(Path(sys.argv[1]))
    valkey.prepare()
    sys.exit(Supervisor([valkey.program()]).wait())
