"""The virtual environment .venv and its packages. Runs under the system's Python.

Uses the standard library only, since it installs everything else.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path

from evaluation.engine.sandbox.image_packages import pip_environment
from scripts import plotly_bundle
from scripts.console import fail, last_words, say

ROOT = Path(__file__).parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin/python"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "installed"


def main() -> None:
    make_venv()
    install_packages()
    plotly_bundle.fetch(VENV)
    os.execv(PYTHON, [str(PYTHON), "-m", "scripts.engine"])  # noqa: S606 - keeps the lock open


def make_venv() -> None:
    """Makes .venv if it is missing or does not run, for example because its Python is gone."""
    if works():
        say(f"the virtual environment .venv is there (Python {version()})")
        return
    say(f"making the virtual environment .venv with Python {platform.python_version()}")
    done = run([sys.executable, "-m", "venv", "--clear", str(VENV)])
    if done.returncode != 0:
        fail(
            f"The virtual environment could not be made: {last_words(done.stdout + done.stderr)} "
            "On Debian or Ubuntu: apt-get install python3-venv."
        )


def works() -> bool:
    """True if .venv runs and is new enough."""
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        return run([str(PYTHON), "-c", check]).returncode == 0
    except OSError:
        return False


def version() -> str:
    return run(
        [str(PYTHON), "-c", "import platform; print(platform.python_version())"]
    ).stdout.strip()


def install_packages() -> None:
    """Installs what requirements.lock names, unless exactly that is installed."""
    wanted = hashlib.sha256(LOCK.read_bytes() + version().encode()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        say("the Python packages are installed")
        return
    say("installing the Python packages of requirements.lock")
    done = run(
        [str(PYTHON), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(LOCK)]
    )
    if done.returncode != 0:
        fail(
            f"pip could not install the packages: {last_words(done.stderr)} If this machine needs "
            "a mirror, a proxy or its own certificates: docs/operators/proxies.md."
        )
    STAMP.write_text(wanted)


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    pip = pip_environment(str(PYTHON)) if "pip" in command else {}
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **pip}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
