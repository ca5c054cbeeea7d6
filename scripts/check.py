"""What `make test` runs once set-up is done: style, types, imports, tests."""

from __future__ import annotations

import sys

from scripts.steps import module, run_steps

# Not by its script in .venv/bin, which names this directory and breaks when it is moved.
LINT_IMPORTS = "from importlinter.cli import lint_imports_command as run; run()"

STEPS = {
    "ruff check": module("ruff", "check", "."),
    "ruff format": module("ruff", "format", "--check", "."),
    "mypy": module("mypy"),
    "lint-imports": [sys.executable, "-c", LINT_IMPORTS],
    # Tests with containers wait a good deal, so a process per core and no more suits both kinds.
    "pytest": module(
        "pytest", "-q", "-m", "not slow and not acceptance", "-n", "auto", "--maxprocesses", "4"
    ),
}

if __name__ == "__main__":
    raise SystemExit(run_steps(STEPS))
