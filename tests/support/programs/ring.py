"""An embedded Valkey under a supervisor: `ring.py DIRECTORY`."""

from __future__ import annotations

import sys
from pathlib import Path

from evaluation.supervision import Supervisor
from evaluation.valkey import embedded_valkey

if __name__ == "__main__":
    sys.exit(Supervisor([embedded_valkey(Path(sys.argv[1]))]).wait())
