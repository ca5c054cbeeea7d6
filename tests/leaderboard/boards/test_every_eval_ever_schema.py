"""Records match the schema in the wheel of every-eval-ever 0.3.0, which needs Python 3.12."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.boards.every_eval_ever import SCHEMA
from tests.support.cast import Cast

jsonschema = pytest.importorskip("jsonschema")
pytestmark = [pytest.mark.acceptance, pytest.mark.any_database]


def test_records_match_the_schema(cast: Cast, client: Client, tmp_path: Path) -> None:
    words = ["--no-deps", "--only-binary=:all:", "--python-version", "3.12", "-d", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", f"every-eval-ever=={SCHEMA}", *words],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        schema = json.loads(files.read("every_eval_ever/schemas/eval.schema.json"))
    assert schema["version"] == SCHEMA
    entrants = (
        cast.entrant("Larch", weights="open", organisation="Northwood"),
        cast.entrant("Birch", link="https://huggingface.co/nw/birch"),
    )
    for entrant in entrants:
        submission = cast.judged_submission(entrant)
        record = client.get(f"/api/v1/submissions/{submission.public_id}/every-eval-ever").json()
        assert record["evaluation_results"]
        jsonschema.validate(record, schema)
