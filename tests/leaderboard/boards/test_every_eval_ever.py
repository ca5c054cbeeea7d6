"""Tests of aggregate records of Every Eval Ever."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest
from django.test import Client

from leaderboard.boards.every_eval_ever import SCHEMA
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def test_a_record_has_the_page_s_numbers_and_names_the_model(cast: Cast, client: Client) -> None:
    entrant = cast.entrant(
        "Larch", weights="open", organisation="Northwood", link="https://huggingface.co/nw/larch-7b"
    )
    submission = cast.judged_submission(entrant)
    shown = client.get(f"/api/v1/submissions/{submission.public_id}").json()
    record = client.get(f"/api/v1/submissions/{submission.public_id}/every-eval-ever").json()
    assert record["model_info"]["id"] == "nw/larch-7b"
    assert record["model_info"]["additional_details"]["model_availability"] == "open_weights"
    results = record["evaluation_results"]
    wanted = [score for score in shown["scores"] if score["value"] is not None]
    assert [one["score_details"]["score"] for one in results] == [one["value"] for one in wanted]
    (whole,) = (
        one for one in results if one["evaluation_result_id"] == f"{submission.public_id}/pass@1"
    )
    (score,) = (one for one in wanted if (one["metric"], one["slice"]) == ("pass@1", "overall"))
    interval = whole["score_details"]["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"]) == (score["low"], score["high"])


@pytest.mark.acceptance
def test_records_match_the_schema(cast: Cast, client: Client, tmp_path: Path) -> None:
    """The schema is in the wheel of every-eval-ever, which needs Python 3.12."""
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
