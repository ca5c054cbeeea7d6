"""The checks of `make test` after set-up: style, types, imports, settings, migrations, tests.

Tests run on SQLite; those that depend on the database also on PostgreSQL. All of it takes at most
12 minutes on two cores after set-up; the aim is 10.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile

from scripts.environment import ROOT
from scripts.steps import Command, Steps, module, print_speed, run_steps

# Its script in .venv/bin contains this directory's path and breaks if the directory is moved.
LINT_IMPORTS = "from importlinter.cli import lint_imports_command as run; run()"
# Tests that use a database.
DJANGO_TESTS = ("tests/leaderboard", "tests/evaluation/web")
BROWSER_TESTS = "tests/browser"
# Contains no quick tests.
ACCEPTANCE_TESTS = "tests/acceptance"
# Browser tests that share one running installation with real judging.
JOURNEYS = ("tests/browser/test_journey.py", "tests/browser/test_runs.py")
# Runs in a separate lane: none of the three browser lanes uses a whole processor.
RATING = "tests/browser/test_rating.py"
# The tests of each share one running installation, which takes half a minute to start in each
# process.
INSTALLATIONS = ("tests/client", "tests/deployment")
QUICK = "not slow and not acceptance"
# A public site; nothing connects to these hosts.
PRODUCTION = {
    "ASSAY_ALLOWED_HOSTS": "assay.example",
    "ASSAY_EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
    "ASSAY_EMBEDDED": "0",
    "ASSAY_HSTS_PRELOAD": "1",
    "ASSAY_HTTPS": "1",
    "ASSAY_TRUSTED_PROXIES": "1",
    "ASSAY_VALKEY_URL": "redis://localhost:6379/0",
    "DATABASE_URL": "postgresql://assay@localhost/assay",
}
# Maximum cores that get a test process in a step, and the number of extra processes, since a
# process that waits for its container leaves its core idle.
MOST_CORES = 4
EXTRA_PROCESSES = 1


def meanwhile() -> Steps:
    """Steps that run next to all stages, so they must create no networks: see `stages`."""
    return {
        "ruff check": module("ruff", "check", "."),
        "ruff format": module("ruff", "format", "--check", "."),
        "mypy": module("mypy"),
        "lint-imports": [sys.executable, "-c", LINT_IMPORTS],
        "deployment check": in_production("check", "--deploy", "--fail-level", "WARNING"),
        "migrations": on_sqlite(*manage("makemigrations", "--check", "--dry-run")),
        "pytest on PostgreSQL": on_postgresql(
            *pytest(f"{QUICK} and not any_database", *django_tests(), alone=True)
        ),
        "pytest of installations": on_sqlite(*pytest(QUICK, *INSTALLATIONS, alone=True)),
    }


def stages() -> list[list[Steps]]:
    """Stages in order, each with lanes that run side by side.

    Nothing next to a browser makes networks: Chromium drops every open request when an interface of
    this machine appears or gets an address (ERR_NETWORK_CHANGED).
    """
    journeys = on_sqlite(*pytest(QUICK, *JOURNEYS, alone=True))
    rating = on_sqlite(*pytest(QUICK, RATING, alone=True))
    pages = on_sqlite(*pytest(QUICK, BROWSER_TESTS, *without(*JOURNEYS, RATING), alone=True))
    elsewhere = without(BROWSER_TESTS, *INSTALLATIONS, ACCEPTANCE_TESTS)
    every = on_sqlite(*pytest(f"{QUICK} and not postgresql", *elsewhere))
    return [
        [
            {"journeys in a browser": journeys},
            {"pages in a browser": pages},
            {"rating in a browser": rating},
        ],
        [{"pytest": every}],
    ]


def manage(*words: str) -> Command:
    return [sys.executable, "manage.py", *words]


def in_production(*words: str) -> Command:
    """A management command with production settings and a temporary secret key."""
    settings = {**PRODUCTION, "ASSAY_SECRET_KEY": secrets.token_urlsafe(50)}
    return ["env", *(f"{name}={value}" for name, value in settings.items()), *manage(*words)]


def on_sqlite(*command: str) -> Command:
    """Removes DATABASE_URL from the environment, so that the default database is used."""
    return ["env", "-u", "DATABASE_URL", *command]


def on_postgresql(*command: str) -> Command:
    """Uses one server for the whole run and one database for each worker."""
    return module("tests.support.postgres", "--", *command)


def pytest(chosen: str, *words: str, alone: bool = False) -> Command:
    """pytest with a process per core and one more, or a single one; lists the slowest tests.

    Each process takes a contiguous part of the tests, so that tests of a file share fixtures.
    """
    processes = min(len(os.sched_getaffinity(0)), MOST_CORES) + EXTRA_PROCESSES
    shared = () if alone else ("-n", str(processes), "--dist", "worksteal")
    return module("pytest", "-q", "-m", chosen, *shared, "--durations", "40", *words)


def without(*paths: str) -> list[str]:
    return [word for path in paths for word in ("--ignore", path)]


def django_tests() -> list[str]:
    return [place for place in DJANGO_TESTS if (ROOT / place).is_dir()]


def main() -> int:
    print_speed()
    # Every reader of the settings, mypy's plugin included, gets an empty installation.
    with tempfile.TemporaryDirectory(prefix="assay-check-") as directory:
        os.environ["ASSAY_DATA_DIR"] = directory
        # Byte code is written, so that processes do not compile the product and tests again.
        os.environ["PYTHONDONTWRITEBYTECODE"] = ""
        status = run_steps(*stages(), meanwhile=meanwhile())
    print("== `make test` takes at most 12 minutes on two cores after set-up; the aim is 10.")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
