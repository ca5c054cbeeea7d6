"""Tests that a result's page shows how its generations were made, to users who may see the
result."""

import json

import pytest
from django.urls import reverse

from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import Provenance, Submission, Upload, Visibility
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, checked, stored, visitor
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

SAID = {
    "model": SCRIPT,
    "endpoint": "https://anna:hush@models.example/v1/hidden-path?key=hush",
    "sampling": {"temperature": 0.25},
    "tokens": {"sent": 12_345, "answered": 678},
    "note": "hush",
}
TITLE = "How it was generated"


@pytest.fixture
def upload(cast: Cast) -> Upload:
    """A checked upload of Northwood's that says how it was made."""
    header = json.dumps({"generation": SAID}).encode() + b"\n"
    content = header + predictions(cast.rucodeeval)
    return checked(cast.entrant(), cast.alice, cast.rucodeeval, content)


@pytest.fixture
def submission(upload: Upload) -> Submission:
    return stored(upload)


def require_told(page: str) -> None:
    assert TITLE in page
    assert "<dd>models.example</dd>" in page
    assert "<dd>temperature 0.25</dd>" in page
    assert "<dd>12,345 input, 678 output</dd>" in page
    assert (f"<dd>{ESCAPED}</dd>" in page, SCRIPT in page) == (True, False)
    assert ("hush" in page, "hidden-path" in page) == (False, False)


def test_it_stands_beside_a_published_result_for_everyone(
    cast: Cast, submission: Submission
) -> None:
    assert cast.fenland
    Submission.objects.update(visibility=Visibility.PUBLISHED)
    for person in (None, cast.charlie, cast.bob, cast.dora):
        client = visitor(person)
        require_told(client.get(submission.get_absolute_url()).text)
        require_told(client.get(reverse("submission-live", args=[submission.pk])).text)
    Benchmark.objects.update(listed=False)
    assert visitor().get(submission.get_absolute_url()).status_code == 404


def test_the_board_and_its_files_do_not_tell_it(cast: Cast, submission: Submission) -> None:
    board = cast.rucodeeval.get_absolute_url()
    for address in (board, f"{board}board.csv", f"{board}board.json"):
        assert "models.example" not in visitor(cast.alice).get(address).text


def test_a_team_sees_before_submitting_what_everyone_will(cast: Cast, upload: Upload) -> None:
    page = visitor(cast.bob).get(upload.get_absolute_url()).text
    require_told(page)
    assert "shown with the result to everyone who may see it" in page
    assert visitor(cast.charlie).get(upload.get_absolute_url()).status_code == 404


def test_a_refused_file_and_one_without_it_have_no_such_part(cast: Cast) -> None:
    entrant, client = cast.entrant(), visitor(cast.bob)
    content = json.dumps({"generation": SAID}).encode() + b"\n{}\n"
    refused = checked(entrant, cast.alice, cast.rucodeeval, content)
    submission = stored(checked(entrant, cast.alice, cast.rucodeeval, predictions(cast.rucodeeval)))
    assert not Provenance.objects.exists()
    for row in (refused, submission):
        assert TITLE not in client.get(row.get_absolute_url()).text


def test_it_outlives_the_upload(cast: Cast, submission: Submission, upload: Upload) -> None:
    upload.delete()
    page = visitor(cast.bob).get(submission.get_absolute_url()).text
    require_told(page)
    assert "Visibility" in page
