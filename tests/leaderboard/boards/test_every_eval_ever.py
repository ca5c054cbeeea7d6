"""Tests of aggregate records of Every Eval Ever. That they match its schema is in
test_every_eval_ever_schema.py."""

import pytest
from django.test import Client

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
