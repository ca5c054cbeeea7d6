"""Tests of how generations were made, as a file states it: any statement is told in bounds, and on
the pages of a result to users who may see the result."""

import json

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.records import Json
from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.submissions.provenance import MOST_CHARACTERS, facts
from leaderboard.submissions.models import Provenance, Submission, Upload, Visibility
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, checked, stored, visitor
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

SENT = {
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
    header = json.dumps({"generation": SENT}).encode() + b"\n"
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


def test_a_team_sees_before_submitting_what_everyone_will(cast: Cast, upload: Upload) -> None:
    page = visitor(cast.bob).get(upload.get_absolute_url()).text
    require_told(page)
    assert "shown with the result to everyone who may see it" in page
    assert visitor(cast.charlie).get(upload.get_absolute_url()).status_code == 404


def test_a_refused_file_and_one_without_it_have_no_such_part(cast: Cast) -> None:
    entrant, client = cast.entrant(), visitor(cast.bob)
    content = json.dumps({"generation": SENT}).encode() + b"\n{}\n"
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


# --- Any statement ----------------------------------------------------------------------

SAID: dict[str, Json] = {
    "made_by": "Assay 0.1.0",
    "family": "rucodeeval",
    "setting": "base",
    "history": "",
    "endpoint": "https://models.example:8443/v1/secret-path",
    "model": "larch-32b",
    "sampling": {"temperature": 0.7, "top_p": None, "max_tokens": 4096, "repetition_penalty": 1.05},
    "prompts": "the tasks' own",
    "files": {"tasks": "0" * 64},
    "samples": 10,
    "answers": 1640,
    "unanswered": 2,
    "cut_off": 0,
    "answered_by": ["larch-32b-0711"],
    "tokens": {"sent": 120_000, "answered": 45_678, "answers_uncounted": 1},
    "price": {"sent": 2.5, "answered": 10.0, "total": 0.75678},
    "began": "2026-01-02T03:04:05+00:00",
    "ended": "2026-01-02T04:04:05+00:00",
}
_TEXTS = st.text(max_size=300)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(
    st.sampled_from([*SAID, "temperature", "sent", "answered", "total", "answers_uncounted"]),
    _VALUES,
)


def told(said: dict[str, Json]) -> dict[str, str]:
    return {str(label): value for label, value in facts(said)}


def test_all_that_is_known_is_told() -> None:
    assert told(SAID) == {
        "Model": "larch-32b",
        "Name at the endpoint": "larch-32b-0711",
        "Endpoint": "models.example:8443",
        "Sampling": "temperature 0.7, max_tokens 4,096, repetition_penalty 1.05",
        "Answers per prompt": "10",
        "Prompts": "the tasks' own",
        "Answers": "1,640 · 2 missing",
        "Tokens": "120,000 input, 45,678 output (1 answer without a count)",
        "Cost": "0.75678, at 2.5 per million input tokens and 10 per million output tokens",
        "Generated": "2026-01-02 03:04 UTC – 2026-01-02 04:04 UTC",
        "Made by": "Assay 0.1.0",
    }


def test_nothing_is_told_of_nothing() -> None:
    assert facts({}) == []
    assert facts({"family": "x", "whatever": {"is": "not known"}}) == []


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://user:password@models.example/v1?key=secret#x", "models.example"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
        ("https://models.example:none/v1", None),
        ("no address", None),
        (["https://models.example"], None),
    ],
)
def test_of_an_address_the_host_alone_is_told(address: Json, host: str | None) -> None:
    assert told({"endpoint": address}).get("Endpoint") == host


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("x" * 100_000, "x" * (MOST_CHARACTERS - 1) + "…"),
        ("two\n\x00lines \u202eand a turn", "two lines and a turn"),
        ("\u200b\n ", None),
        (7, None),
    ],
)
def test_texts_are_one_short_line(model: Json, shown: str | None) -> None:
    assert told({"model": model}).get("Model") == shown


@pytest.mark.parametrize("value", [True, -1, 10**400, 1e300, "5", None])
def test_what_is_no_number_is_left_out(value: Json) -> None:
    assert told({"samples": value, "tokens": {"sent": value, "answered": 1}}) == {}


def test_sampling_that_was_left_to_the_endpoint_is_told_as_such() -> None:
    assert told({"sampling": {"temperature": None}}) == {"Sampling": "the endpoint's default"}


@given(said=st.dictionaries(st.sampled_from([*SAID]), _VALUES | _OBJECTS))
def test_whatever_stands_there_is_told_in_bounds(said: dict[str, Json]) -> None:
    for label, value in facts(said):
        assert label and value
        assert value.isprintable()
        assert len(value) <= 6 * (MOST_CHARACTERS + 2)
