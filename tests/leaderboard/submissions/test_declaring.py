"""Tests of what boards count of a team's runs: those that it had judged, and those that it
declared, each bound to one file."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.engine.errors import UploadError
from evaluation.state import scheduling
from evaluation.work import actions
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.queries import Ledger, ledgers_of
from leaderboard.submissions.declaring import declare, withdraw_declaration
from leaderboard.submissions.models import Declaration, LedgerEntry, Submission, UploadState
from leaderboard.submissions.publishing import note_judging
from tests.leaderboard.pages.submissions.visits import checked, received, visitor
from tests.support.cast import Cast, predictions
from tests.support.ordering import ordered

pytestmark = pytest.mark.any_database

BOARD = "/benchmarks/rucodeeval/"


@pytest.fixture
def benchmark(cast: Cast) -> Benchmark:
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(declared=True)
    cast.rucodeeval.refresh_from_db()
    return cast.rucodeeval


@pytest.fixture
def larch(cast: Cast) -> Entrant:
    return cast.entrant("Larch")


def declared(cast: Cast, entrant: Entrant, **more: Any) -> Declaration:
    assert cast.rucodeeval.current is not None
    told = {"setting": "base", "samples": 1, "model": "larch-32b", **more}
    return declare(user=cast.alice, entrant=entrant, revision=cast.rucodeeval.current, **told)


def ledger(cast: Cast) -> Ledger:
    assert cast.rucodeeval.current is not None
    return ledgers_of(cast.rucodeeval.current, "base")[cast.northwood.pk]


def judged(cast: Cast, declaration: Declaration) -> Submission:
    """A published result of the declared run."""
    assert declaration.entrant is not None
    upload = received(declaration.entrant, cast.alice, cast.rucodeeval, b"")
    submission = cast.judged_submission(declaration.entrant, publish=False)
    LedgerEntry.objects.filter(submission=submission).delete()
    Submission.objects.filter(pk=submission.pk).update(upload=upload)
    note_judging(submission=submission)
    cast.publish(submission)
    return submission


# --- The upload ---------------------------------------------------------------------------


def test_a_declaration_serves_one_upload_and_cannot_be_withdrawn_then(
    cast: Cast, benchmark: Benchmark, larch: Entrant
) -> None:
    one = declared(cast, larch)
    upload = checked(larch, cast.alice, benchmark, predictions(benchmark))
    one.refresh_from_db()
    assert one.upload == upload and not one.is_open
    with pytest.raises(UploadError, match="no open one"):
        received(larch, cast.alice, benchmark, predictions(benchmark))
    assert not withdraw_declaration(declaration=one, user=cast.alice)
    assert actions.discard_upload(upload=upload)
    assert withdraw_declaration(declaration=one, user=cast.alice)


def test_a_file_with_another_number_of_samples_is_refused_and_leaves_it_open(
    cast: Cast, benchmark: Benchmark, larch: Entrant
) -> None:
    one = declared(cast, larch, samples=5)
    upload = checked(larch, cast.alice, benchmark, predictions(benchmark))
    assert upload.state == UploadState.REFUSED
    assert "has 1 samples of a task, but the declared run has 5" in str(upload.report)
    assert Declaration.objects.open().get() == one
    Declaration.objects.update(samples=1)
    again = checked(larch, cast.alice, benchmark, predictions(benchmark))
    assert again.state == UploadState.CHECKED


def test_the_form_binds_the_chosen_declaration(
    cast: Cast, benchmark: Benchmark, larch: Entrant
) -> None:
    _, second = declared(cast, larch), declared(cast, larch, model="larch-7b")
    told = {"board": f"{benchmark.slug}/base", "entrant": larch.slug, "declaration": second.pk}
    client = visitor(cast.alice)
    page = client.get("/submit/").content.decode()
    assert "larch-7b, 1 samples" in page and "is declared before it is uploaded" in page
    file = SimpleUploadedFile("base.jsonl", predictions(benchmark))
    assert client.post("/submit/", {**told, "file": file}).status_code == 302
    assert Declaration.objects.exclude(upload=None).get() == second


def test_a_run_at_an_endpoint_is_declared_by_its_order(
    cast: Cast, benchmark: Benchmark, larch: Entrant, settings: Any
) -> None:
    settings.ENDPOINT_RUNS = 1
    settings.KEY_SECRETS = ["k" * 32]
    ordered(cast, entrant=larch)
    one = Declaration.objects.get()
    assert (one.entrant, one.samples, one.model, one.is_open) == (larch, 1, "veiled-model", True)


# --- The ledger ---------------------------------------------------------------------------


def test_a_row_says_of_how_many_runs_its_team_published_it(cast: Cast, client: Client) -> None:
    one = cast.entrant("One")
    for _ in range(3):
        cast.judged_submission(one, publish=False)
    cast.judged_submission(one)
    cast.judged_submission(cast.entrant("Two"), publish=False)
    cast.judged_submission(cast.entrant("Theirs", cast.fenland), ("failed",))
    assert ledger(cast) == Ledger(5, 1)
    text = client.get(BOARD).content.decode()
    assert "the team published 1 of 5 evaluated runs" in text
    assert "the team published 1 of 1 evaluated run" not in text
    assert "Runs that are judged elsewhere cannot be seen" in text
    rows = client.get("/benchmarks/rucodeeval/board.json").json()["rows"]
    assert [(row["team_runs_published"], row["team_runs_evaluated"]) for row in rows] == [
        (1, 5),
        (1, 1),
    ]


def test_what_is_deleted_or_moved_still_counts(cast: Cast) -> None:
    tried, kept = cast.entrant("Tried"), cast.entrant("Kept")
    for _ in range(4):
        cast.judged_submission(tried, publish=False)
    cast.judged_submission(kept)
    tried.delete()
    assert ledger(cast) == Ledger(5, 1)
    # The row of an entrant that moved to a team without earlier runs keeps its first team's ledger.
    Entrant.objects.filter(pk=kept.pk).update(team=cast.fenland)
    assert LedgerEntry.objects.get(submission__entrant=kept).team == cast.northwood
    text = Client().get(BOARD).content.decode()
    assert "the team published 1 of 5 evaluated runs" in text


def test_a_run_counts_from_its_first_verdicts_on_also_if_it_is_cancelled(cast: Cast) -> None:
    submission = cast.submission(cast.entrant())
    evaluation = actions.open_evaluation(submission=submission)
    assert not LedgerEntry.objects.exists()
    chunk = evaluation.chunks.first()
    assert chunk is not None
    assert scheduling.claim_chunk(pk=chunk.pk, owner="worker", host="here")
    assert actions.cancel_evaluation(evaluation=evaluation)
    assert ledger(cast) == Ledger(1, 0)


def test_a_submission_that_is_judged_again_counts_once(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    again = actions.judge_again(submission=submission)
    cast.judge(again)
    cast.score(again)
    assert ledger(cast) == Ledger(1, 1)


def test_other_settings_and_revisions_have_ledgers_of_their_own(cast: Cast) -> None:
    entrant = cast.entrant()
    cast.judged_submission(entrant)
    cast.judged_submission(entrant, benchmark=cast.codeif)
    cast.judged_submission(entrant, benchmark=cast.codeif, setting="multi_turn", samples=1)
    assert ledger(cast) == Ledger(1, 1)


def test_a_row_counts_declared_runs_those_never_uploaded_and_those_withdrawn(
    cast: Cast, benchmark: Benchmark, larch: Entrant, client: Client
) -> None:
    judged(cast, declared(cast, larch))
    declared(cast, larch)
    withdraw_declaration(declaration=declared(cast, larch), user=cast.alice)
    uploaded = declared(cast, larch)
    actions_of = received(larch, cast.alice, benchmark, b"")
    assert actions_of.declaration != uploaded, "the oldest open one is bound"
    assert ledger(cast) == Ledger(1, 1, declared=4, unused=1, withdrawn=1)
    text = client.get(benchmark.get_absolute_url()).content.decode()
    assert "4 runs declared, 1 never uploaded, 1 withdrawn" in text
    assert "evaluated run" not in text.lower()
    (row,) = client.get(f"{benchmark.get_absolute_url()}board.json").json()["rows"]
    counts = ("declared", "never_uploaded", "withdrawn", "evaluated", "published")
    assert [row[f"team_runs_{name}"] for name in counts] == [4, 1, 1, 1, 1]


def test_a_declared_run_that_is_deleted_still_counts(
    cast: Cast, benchmark: Benchmark, larch: Entrant
) -> None:
    kept = declared(cast, cast.entrant("Kept"))
    judged(cast, declared(cast, larch))
    judged(cast, kept)
    larch.delete()
    assert Declaration.objects.count() == 2
    assert not Declaration.objects.open().exists()
    assert ledger(cast) == Ledger(2, 1, declared=2)


# --- Undone -------------------------------------------------------------------------------


def test_a_withdrawn_declaration_keeps_its_trace_and_takes_no_file(
    cast: Cast, benchmark: Benchmark, larch: Entrant
) -> None:
    one = declared(cast, larch)
    assert "larch-32b" not in visitor(cast.charlie).get("/declarations/").text
    client = visitor(cast.bob)
    page = client.post(f"/declarations/{one.pk}/withdraw/", follow=True).content.decode()
    assert "Boards count it as withdrawn" in page and "larch-32b" in page
    one.refresh_from_db()
    assert one.withdrawn is not None and one.withdrawn_by == cast.bob
    with pytest.raises(UploadError):
        received(larch, cast.alice, benchmark, b"")
    assert not withdraw_declaration(declaration=one, user=cast.alice)


def test_the_page_declares_a_run(cast: Cast, benchmark: Benchmark, larch: Entrant) -> None:
    told = {"board": f"{benchmark.slug}/base", "entrant": larch.slug, "samples": 3, "model": "m"}
    client = visitor(cast.alice)
    page = client.post("/declarations/", told, follow=True).content.decode()
    assert "You can upload its file now" in page and "not uploaded" in page
    one = Declaration.objects.get()
    assert (one.team, one.samples, one.model, one.user) == (cast.northwood, 3, "m", cast.alice)
    assert client.post("/declarations/", {**told, "samples": 0}).status_code == 422
    assert Declaration.objects.count() == 1
