"""Runs the examples of docs/users/api.md as they stand there, in one shell."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from evaluation.models import Evaluation
from leaderboard.submissions.models import Submission, Upload, Visibility
from tests.leaderboard.api.conftest import token_of
from tests.support.cast import Cast, predictions
from tests.support.commands import ROOT
from tests.support.site import own_caches, quick

pytestmark = pytest.mark.any_database

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


def test_the_writing_examples_run(
    live_server: LiveServer, quick: None, own_caches: None, tmp_path: Path, settings: Settings
) -> None:
    """Each block is run after the work of the site that it waits for."""
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    cast = Cast()
    assert cast.northwood
    (tmp_path / "predictions.jsonl").write_bytes(predictions(cast.rucodeeval))
    token, posting, submitting, publishing = EXAMPLES[1:]
    functions, blank, upload = posting.partition("\n\n")
    environment = {
        "ASSAY": live_server.url,
        "ASSAY_TOKEN": token_of(cast.alice, "northwood"),
        "UPLOAD": "",
    }
    assert '"team": "northwood"' in run(token, tmp_path, **environment)
    printed = run(functions + blank + upload + 'echo; echo "$UPLOAD"', tmp_path, **environment)
    environment["UPLOAD"] = printed.split()[-1]
    row = Upload.objects.get(public_id=environment["UPLOAD"])
    jobs.check_upload(row.pk)
    run(functions + "\n" + submitting, tmp_path, **environment)
    jobs.store_upload(row.pk)
    evaluation = Evaluation.objects.get()
    cast.judge(evaluation)
    cast.score(evaluation)
    run(functions + "\n" + publishing, tmp_path, **environment)
    assert evaluation.submission.entrant.name == "Heron 7B"
    assert Submission.objects.get().visibility == Visibility.PUBLISHED
    assert len((tmp_path / "verdicts.jsonl").read_text().splitlines()) == 12


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
