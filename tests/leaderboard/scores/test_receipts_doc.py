"""Runs the examples of docs/users/receipts.md as they stand there, and what the client says of
receipts that are no longer valid."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.scores.models import Receipt
from leaderboard.submissions.models import Submission, Visibility
from tests.leaderboard.scores.test_receipts import receipt_of
from tests.support.cast import Cast
from tests.support.commands import ROOT
from tests.support.site import own_caches, quick

pytestmark = pytest.mark.any_database

__all__ = ["own_caches", "quick"]
PAGE = (ROOT / "docs/users/receipts.md").read_text("utf-8")
GETTING, CHECKING, COMPUTING = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_run(
    live_server: LiveServer, quick: None, own_caches: None, tmp_path: Path, settings: Settings
) -> None:
    settings.RECEIPT_KEY = tmp_path / "receipt-key"
    cast = Cast()
    submission = cast.judged_submission(cast.entrant())
    receipt_of(submission)

    def run(script: str) -> subprocess.CompletedProcess[str]:
        functions = f"""
            cd {tmp_path}
            assay() {{ {sys.executable} -m assay_client.command "$@"; }}
            python() {{ {sys.executable} "$@"; }}
        """
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{functions}\n{script}"],
            env={
                "PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "ID": submission.public_id,
                "PYTHONPATH": f"{ROOT / 'client'}:{ROOT}", "ASSAY": live_server.url,
                "ASSAY_SITE": live_server.url,
            },
            capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip

    done = run(GETTING)
    assert done.returncode == 0, done.stderr
    done = run(CHECKING)
    assert done.returncode == 0, done.stderr
    assert re.findall("genuine, (.*)\\.", done.stdout) == [
        "still valid",
        "not asked whether it is still valid",
    ]
    done = run(COMPUTING)
    assert done.returncode == 0, done.stderr
    assert "follow from the verdicts" in done.stdout
    Submission.objects.update(visibility=Visibility.PRIVATE)
    done = run("assay verify receipt.json")
    assert (done.returncode, "genuine, but withdrawn" in done.stderr) == (3, True), done.stderr
    Receipt.objects.all().delete()
    done = run("assay verify receipt.json")
    assert (done.returncode, "made no such receipt" in done.stderr) == (1, True), done.stderr
