"""Writes requirements.lock: every package with the hashes of all its files. Needs uv.

`python -m scripts.lock` keeps the versions that are locked, as far as pyproject.toml allows them;
`--upgrade` takes the newest. One lock serves every Linux processor and Python that we support.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.environment import LOCK, ROOT

HEADER = """\
# What `make setup` installs: the dependencies of pyproject.toml and all that they need, with the
# hashes of all their files. To renew: see CONTRIBUTING.md.
"""
# The Dockerfile installs what precedes this line.
TOOLS = "# Tools for tests, which the image does not have:\n"
# A package with its hashes.
ENTRY = re.compile(r"^[A-Za-z].*(?:\n +--hash.*)*\n", re.MULTILINE)
# `environments` of pyproject.toml: the site needs Linux.
EVERYWHERE = re.compile(r" ; sys_platform == 'linux'| and sys_platform == 'linux'")


def compiled(*options: str) -> dict[str, str]:
    """The entries, by name, of the packages that pyproject.toml and these options ask for."""
    with tempfile.TemporaryDirectory() as folder:
        # uv keeps the versions of the file that it writes.
        output = Path(folder) / "lock.txt"
        shutil.copy(LOCK, output)
        subprocess.run(
            ["uv", "pip", "compile", "pyproject.toml", "--quiet", "--output-file", str(output)]
            + ["--universal", "--python-version", "3.11", "--generate-hashes"]
            + ["--no-annotate", "--no-header", *options],
            cwd=ROOT,
            check=True,
        )
        entries = ENTRY.findall(EVERYWHERE.sub("", output.read_text()))
        return {entry.partition("==")[0]: entry for entry in entries}


def main() -> None:
    whole = compiled("--extra", "dev", *sys.argv[1:])
    LOCK.write_text("".join(whole.values()))
    image = compiled()
    tools = [entry for name, entry in whole.items() if name not in image]
    LOCK.write_text("".join([HEADER, *image.values(), TOOLS, *tools]))


if __name__ == "__main__":
    main()
