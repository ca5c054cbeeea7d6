"""The page of an upload: checked, refused, submitted, discarded."""

import json

import pytest
from django.urls import reverse

from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.templatetags.assay import with_code
from leaderboard.submissions.models import Submission, Upload, UploadState
from tests.leaderboard.pages.submissions.visits import (
    ESCAPED,
    SCRIPT,
    checked,
    received,
    stored,
    visitor,
)
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database


@pytest.fixture
def good(cast: Cast) -> Upload:
    """A checked upload of Northwood's without problems."""
    return checked(cast.entrant(), cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))


@pytest.fixture
def bad(cast: Cast) -> Upload:
    """A rejected upload of Northwood's, with more wrong lines than the page lists."""
    lines = b'{"task_id": "%s", "completion": "x"}\n' % SCRIPT.encode() * 130
    entrant = cast.northwood.entrants.first() or cast.entrant()
    return checked(entrant, cast.alice, cast.rucodeeval, lines, name=f"{SCRIPT}.jsonl")


def test_the_report_comes_with_its_buttons_by_the_last_live_part(cast: Cast, good: Upload) -> None:
    part = visitor(cast.bob).get(reverse("upload-live", args=[good.pk]))
    for page in (visitor(cast.bob).get(good.get_absolute_url()), part):
        for words in ("12 generations, no problems", "12 of 12", "Submit for judging"):
            assert words in page.text
    assert part.status_code == 286


def test_storing_shows_how_much_is_stored(cast: Cast, good: Upload) -> None:
    Upload.objects.update(state=UploadState.STORING, attempt=2)
    for attempt, count in ((1, 9), (2, 5)):
        Submission.with_unfinished.create(
            upload=good,
            entrant=good.entrant,
            revision=good.revision,
            setting=good.setting,
            generations_count=count,
            storing=attempt,
        )
    page = visitor(cast.bob).get(good.get_absolute_url()).text
    assert "5 of 12 generations stored" in page and " UTC" in page
    Submission.with_unfinished.filter(storing=2).update(generations_count=12)
    page = visitor(cast.bob).get(good.get_absolute_url()).text
    assert "being compared with the answers of other teams" in page
    Submission.with_unfinished.filter(storing=2).update(generations_count=5)
    # The last step ends after the page has read the upload.
    Submission.with_unfinished.filter(storing=2).update(storing=None)
    assert "5 of 12 generations stored" in visitor(cast.bob).get(good.get_absolute_url()).text


@pytest.mark.parametrize(
    ("missing", "words"), [(0, "12 generations, 1 warning<"), (1, "11 generations, 2 warnings<")]
)
def test_a_file_with_warnings_is_not_called_free_of_problems(
    cast: Cast, missing: int, words: str
) -> None:
    rows = [json.loads(line) for line in predictions(cast.rucodeeval).splitlines()]
    empty = [json.dumps({**row, "completion": ""}) for row in rows[missing:]]
    content = "\n".join(empty).encode()
    upload = checked(cast.entrant(), cast.alice, cast.rucodeeval, content)
    page = visitor(cast.alice).get(upload.get_absolute_url()).text
    assert (words in page, "no problems" in page) == (True, False)


def test_problems_are_listed_with_line_and_task_and_the_rest_counted(
    cast: Cast, bad: Upload
) -> None:
    page = visitor(cast.alice).get(bad.get_absolute_url()).text
    assert (page.count(f"<div>{ESCAPED}</div>"), SCRIPT in page) == (5, False)
    assert page.count("no such task") == 1
    assert "and 125 more" in page
    assert "Submit for judging" not in page
    # Another file is asked for with every choice kept.
    again = f"/submit/?benchmark={cast.rucodeeval.slug}&amp;setting=base&amp;entrant="
    assert f'href="{again}{bad.entrant.slug}"' in page


def test_a_file_for_few_tasks_is_submitted_only_with_a_confirmation(cast: Cast) -> None:
    content = b"".join(predictions(cast.rucodeeval).splitlines(keepends=True)[:2])
    upload = checked(cast.entrant(), cast.alice, cast.rucodeeval, content)
    client, confirm = visitor(cast.bob), reverse("upload-confirm", args=[upload.pk])
    page = client.get(upload.get_absolute_url()).text
    assert "The file covers only 2 of 12 tasks" in page
    assert 'name="confirmed" form="submit-upload" required' in page
    for data, state in (({}, UploadState.CHECKED), ({"confirmed": "on"}, UploadState.CONFIRMED)):
        answer = client.post(confirm, data, follow=True)
        upload.refresh_from_db()
        assert upload.state == state
        asked = "Confirm what is said about the file" in answer.text
        assert asked == (state == UploadState.CHECKED)


def test_the_live_part_asks_again_until_the_check_is_over(cast: Cast) -> None:
    upload = received(cast.entrant(), cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    client, live = visitor(cast.alice), reverse("upload-live", args=[upload.pk])
    part = client.get(live)
    assert (part.status_code, "hx-trigger" in part.text) == (200, True)
    version = part.text.partition("seen=")[2].partition('"')[0]
    assert client.get(live, {"seen": version}).status_code == 204
    Upload.objects.filter(pk=upload.pk).update(state=UploadState.REFUSED, report=None)
    part = client.get(live)
    assert (part.status_code, "hx-trigger" in part.text) == (286, False)


def test_a_stored_upload_leads_to_its_submission_and_is_not_discarded(
    cast: Cast, good: Upload
) -> None:
    submission = stored(good)
    client = visitor(cast.alice)
    client.post(reverse("upload-discard", args=[good.pk]))
    good.refresh_from_db()
    assert (good.state, submission.generations.count()) == (UploadState.STORED, 12)
    assert client.get(good.get_absolute_url())["Location"] == submission.get_absolute_url()
    part = client.get(reverse("upload-live", args=[good.pk]))
    assert part["HX-Redirect"] == submission.get_absolute_url()


@pytest.mark.parametrize(
    ("sentence", "html"),
    [
        ("Add `task_id`.", "Add <code>task_id</code>."),
        ("`<b>` and <i>", "<code>&lt;b&gt;</code> and &lt;i&gt;"),
        ("one ` alone <i>", "one ` alone &lt;i&gt;"),
        ("", ""),
    ],
)
def test_names_in_sentences_become_code(sentence: str, html: str) -> None:
    assert with_code(sentence) == html


def test_what_was_checked_before_a_benchmark_closed_is_not_taken(cast: Cast, good: Upload) -> None:
    Benchmark.objects.update(accepts=False)
    client = visitor(cast.bob)
    client.post(reverse("upload-confirm", args=[good.pk]))
    good.refresh_from_db()
    assert good.state == UploadState.CHECKED
    assert "does not accept submissions now" in client.get(good.get_absolute_url()).text


def test_an_earlier_upload_of_the_same_file_is_named_to_its_team(cast: Cast, good: Upload) -> None:
    content = predictions(cast.rucodeeval)
    again = checked(cast.entrant("Spruce"), cast.bob, cast.rucodeeval, content)
    page = visitor(cast.bob).get(again.get_absolute_url()).text
    assert f'<a href="{good.get_absolute_url()}">The same file</a> was uploaded on' in page
    assert "The same file" not in visitor(cast.alice).get(good.get_absolute_url()).text
    theirs = cast.entrant("Birch", team=cast.fenland)
    other = checked(theirs, cast.charlie, cast.rucodeeval, content)
    assert "The same file" not in visitor(cast.charlie).get(other.get_absolute_url()).text
