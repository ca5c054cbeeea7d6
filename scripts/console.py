"""Output of set-up: plain lines, and one sentence with the remedy after a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

APT_INSTALL = Path(__file__).with_name("apt_install.sh")


def say(line: str) -> None:
    print(f"setup: {line}", flush=True)


def fail(sentence: str) -> NoReturn:
    print(f"setup: {sentence}", file=sys.stderr, flush=True)
    raise SystemExit(1)


def may_install() -> bool:
    """True for root on a system with apt-get (Debian, Ubuntu)."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_install(*packages: str) -> None:
    """Installs system packages, or fails with the end of apt's output."""
    say(f"installing {', '.join(packages)} with apt-get")
    done = subprocess.run(
        ["sh", str(APT_INSTALL), *packages], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        fail(
            f"apt-get could not install {', '.join(packages)}: {last_words(done.stderr)} "
            "Install them by hand, and run `make setup` again."
        )


def last_words(text: str, lines: int = 2) -> str:
    """The last lines of a program's output as the end of a sentence."""
    kept = [line.strip() for line in text.strip().splitlines() if line.strip()][-lines:]
    words = " / ".join(kept) or "it printed nothing"
    return words if words.endswith(".") else f"{words}."
