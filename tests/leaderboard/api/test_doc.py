"""Runs the examples of docs/users/api.md as they stand there, in one shell."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from pytest_django.live_server_helper import LiveServer

from tests.support.cast import Cast
from tests.support.commands import ROOT
from tests.support.site import own_caches, quick

__all__ = ["own_caches", "quick"]
PAGE = ROOT / "docs/users/api.md"
EXAMPLES = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def run(script: str, folder: Path, **environment: str) -> str:
    """What the script prints; fails if a command does."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_reading_examples_run(
    live_server: LiveServer, quick: None, own_caches: None, tmp_path: Path
) -> None:
    cast = Cast()
    cast.judged_submission(cast.entrant("Larch", weights="open"))
    decoder, documents = json.JSONDecoder(), []
    text = run(EXAMPLES[0], tmp_path, ASSAY=live_server.url)
    while text:
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:]
    benchmarks, board, tasks = documents
    assert [one["slug"] for one in benchmarks] == ["rucodeeval"]
    assert [row["entrant"] for row in board["rows"]] == ["Larch"]
    assert (len(tasks["items"]), tasks["next"][:4]) == (5, "http")
