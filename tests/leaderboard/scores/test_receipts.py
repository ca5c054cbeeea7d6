"""Receipts: when they are made, and that they can be checked with nothing of this site."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.fixtures import Settings
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from evaluation import jobs
from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state.scheduling import score_again
from evaluation.work.actions import publish_submission, withdraw_submission
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import TaskExclusion
from leaderboard.scores import receipt_keys
from leaderboard.scores.boards import want_board
from leaderboard.scores.models import Receipt, ReceiptKey, Score
from leaderboard.scores.receipt_keys import RetiredKey, signing_key
from leaderboard.scores.receipts import make_receipts, statement_in
from leaderboard.submissions.models import Submission
from tests.support import conversations
from tests.support.cast import FAMILIES, GOOD, Cast
from tests.support.commands import in_process
from tests.support.panel import panel
from tests.support.rated import publish, rated_panel, settle

__all__ = ["panel"]


@pytest.fixture(autouse=True)
def key_file(settings: Settings, tmp_path: Path) -> Path:
    path: Path = tmp_path / "receipt-key"
    settings.RECEIPT_KEY = path
    return path


def receipt_of(submission: Submission) -> Receipt:
    make_receipts(want_board(submission=submission))
    return Receipt.objects.get(submission=submission, superseded=None)


def predicate_of(receipt: Receipt) -> dict[str, Any]:
    predicate: dict[str, Any] = statement_in(receipt.envelope)["predicate"]
    return predicate


def files(receipt: Receipt, folder: Path) -> tuple[Path, Path]:
    """The receipt and its file of verdicts, as everyone gets them."""
    envelope, verdicts = folder / "receipt.json", folder / "verdicts.jsonl"
    address = f"/api/v1/submissions/{receipt.submission.public_id}/receipt"
    envelope.write_bytes(Client().get(address).content)
    verdicts.write_bytes(Client().get(f"/api/v1/receipts/{receipt.digest}/verdicts").content)
    return envelope, verdicts


def state_of(receipt: Receipt) -> str:
    return str(Client().get(f"/api/v1/receipts/{receipt.digest}").json()["state"])


def accepts(receipt: Receipt) -> bool:
    """Whether securesystemslib alone verifies it with the keys that the site publishes."""
    published = Client().get("/.well-known/assay-keys.json").json()["keys"]
    keys = [SSlibKey.from_dict(key["keyid"], key) for key in published]
    assert [key.keyid for key in keys] == [
        SSlibKey.from_crypto(key._crypto_key()).keyid for key in keys
    ]
    return len(Envelope.from_dict(receipt.envelope).verify(keys, 1)) == 1


# --- What is in a receipt -----------------------------------------------------------------------


def aixbench(cast: Cast) -> Submission:
    folder = FAMILIES / "aixbench_auto/sample"
    benchmark = import_revision(
        family_slug="aixbench_auto", tasks=folder, answers=None, label="sample"
    ).benchmark
    return cast.judged_submission(cast.entrant(), benchmark=benchmark, samples=2)


def with_missing(cast: Cast) -> Submission:
    """A task without generations and one that is left out."""
    submission = cast.submission(cast.entrant())
    tasks = list(submission.revision.tasks.order_by("number"))
    submission.generations.filter(task=tasks[0]).delete()
    TaskExclusion.objects.create(task=tasks[1], reason="Broken.", decided_by=cast.dora)
    evaluation = cast_evaluation(cast, submission)
    cast.judge(evaluation)
    cast.score(evaluation)
    cast.publish(submission)
    return submission


def cast_evaluation(_cast: Cast, submission: Submission) -> Evaluation:
    from evaluation.work import actions

    return actions.open_evaluation(submission=submission)


SUBMISSIONS: dict[str, Callable[[Cast], Submission]] = {
    "functions": lambda cast: cast.judged_submission(cast.entrant()),
    "missing": with_missing,
    "suspect": lambda cast: cast.judged_submission(cast.entrant(), integrity="suspect"),
    "aix-bench": aixbench,
    **{
        setting: lambda cast, setting=setting: cast.judged_submission(
            cast.entrant(), benchmark=cast.codeif, setting=setting, samples=1
        )
        for setting in ("base", "single-round", "two-round", "multi-turn")
    },
}


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_the_scores_follow_from_the_file(cast: Cast, tmp_path: Path, name: str) -> None:
    receipt = receipt_of(SUBMISSIONS[name](cast))
    envelope, verdicts = files(receipt, tmp_path)
    done = in_process("verify", envelope, "--verdicts", verdicts)
    assert done.code == 0, done.err
    count = Score.objects.filter(evaluation=receipt.evaluation).count()
    assert (f"{count} scores" in done.out) == (name != "aix-bench")
    print(done.out, verdicts.read_text()[:900])
