"""Receipts: when they are made, and that they can be checked with nothing of this site."""

import base64
import gzip
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from evaluation import jobs
from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state.scheduling import score_again
from evaluation.work.actions import discount, publish_submission, withdraw_submission
from evaluation.work.bells import bell_of
from evaluation.work.reconciling import reconcile, unheard_rows
from leaderboard.benchmarks.models import Benchmark, TaskExclusion
from leaderboard.pages.models import PublicChange
from leaderboard.scores.boards import want_board
from leaderboard.scores.models import Board, Receipt, ReceiptKey, Score
from leaderboard.scores.receipt_keys import WrongKey, signed
from leaderboard.scores.receipts import make_receipts, statement_in, unsigned
from leaderboard.submissions.bases import take_base
from leaderboard.submissions.models import Submission, Upload
from tests.leaderboard.pages.submissions.transcripts import benchmark, honest_talks, scored
from tests.support import conversations
from tests.support.cast import Cast
from tests.support.commands import Finished, in_process
from tests.support.panel import Panel, panel
from tests.support.rated import rated_board

pytestmark = pytest.mark.any_database

__all__ = ["benchmark", "panel"]


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
    verdicts.write_bytes(Client().get(f"/api/v1/receipts/{receipt.digest}/verdicts").getvalue())
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
    return len(Envelope.from_dict(deepcopy(receipt.envelope)).verify(keys, 1)) == 1


# --- What is in a receipt ------------------------------------------------------------------------


def score_anew(cast: Cast, submission: Submission) -> Submission:
    evaluation = submission.evaluations.get(current=True)
    assert score_again(evaluation=evaluation)
    cast.score(evaluation)
    cast.publish(submission)
    return Submission.objects.get(pk=submission.pk)


def of_family(cast: Cast, slug: str) -> Submission:
    """Verdicts counted as those of another family."""
    submission = cast.judged_submission(cast.entrant(), publish=False, samples=2)
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(family_slug=slug)
    for task in submission.revision.tasks.all():
        task.public = {"repository": f"acme/{task.number % 3}"}
        task.category = f"kind {task.number % 2}"
        task.save()
    return score_anew(cast, Submission.objects.get(pk=submission.pk))


def with_missing(cast: Cast) -> Submission:
    """With a task that has no generations, and one that is left out."""
    submission = cast.judged_submission(cast.entrant())
    first, second = submission.revision.tasks.order_by("number")[:2]
    submission.generations.filter(task=first).delete()
    TaskExclusion.objects.create(task=second, reason="Broken.", decided_by=cast.dora)
    return score_anew(cast, submission)


def fares(turn: int, name: str, task: int) -> str:
    return "passed" if (turn + len(name) + task) % 3 else "failed"


def transcript(cast: Cast, benchmark: Benchmark) -> Submission:
    evaluation = scored(benchmark, cast.alice, cast.entrant(), honest_talks())
    cast.publish(evaluation.submission)
    return evaluation.submission


SUBMISSIONS: dict[str, Callable[[Cast], Submission]] = {
    "missing": with_missing,
    "suspect": lambda cast: cast.judged_submission(cast.entrant(), integrity="suspect"),
    "aixbench_auto": lambda cast: of_family(cast, "aixbench_auto"),
    "realcode": lambda cast: of_family(cast, "realcode"),
    "two_round": lambda cast: cast.judged_submission(
        cast.entrant(), benchmark=cast.codeif, setting="two_round"
    ),
    "multi_turn": lambda cast: conversations.multi_turn(cast, cast.entrant(), fares),
}


def verified(receipt: Receipt, folder: Path) -> Finished:
    envelope, verdicts = files(receipt, folder)
    return in_process("verify", envelope, "--verdicts", verdicts)


def scores_of(receipt: Receipt) -> int:
    return Score.objects.filter(evaluation=receipt.evaluation, of_references=False).count()


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_the_scores_follow_from_the_file(cast: Cast, tmp_path: Path, name: str) -> None:
    receipt = receipt_of(SUBMISSIONS[name](cast))
    done = verified(receipt, tmp_path)
    assert done.code == 0, done.err
    hidden = Score.objects.filter(metric__in=("partial", "pass_ratio")).count()
    assert done.out.startswith(f"{scores_of(receipt) - hidden} scores of ")
    assert ("pass_ratio" in done.out) == bool(hidden) == (name == "aixbench_auto")


def test_the_scores_of_transcripts_follow_from_the_file(
    cast: Cast, benchmark: Benchmark, tmp_path: Path
) -> None:
    receipt = receipt_of(transcript(cast, benchmark))
    assert verified(receipt, tmp_path).out.startswith(f"{scores_of(receipt)} scores of ")
    subjects = statement_in(receipt.envelope)["subject"]
    upload = Upload.objects.get()
    assert subjects[0] == {"name": "upload", "digest": {"sha256": upload.sha256}}


def test_the_file_of_a_rated_result_has_its_published_scores_alone(
    panel: Panel, tmp_path: Path
) -> None:
    rated_board(panel)
    receipt = receipt_of(panel.northwood)
    assert "equal the published marks" in verified(receipt, tmp_path).out
    rows = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert len(rows) == scores_of(receipt) > 0
    assert not {"raters", "task_id"} & rows[0].keys()


def test_the_linked_file_has_public_ids_and_no_keys_of_the_database(
    cast: Cast, tmp_path: Path
) -> None:
    submission = cast.judged_submission(cast.entrant())
    receipt = receipt_of(submission)
    text = files(receipt, tmp_path)[1].read_text()
    tasks = [json.loads(line)["task_id"] for line in text.splitlines()]
    assert {*tasks} == {task.id_in_dataset for task in submission.revision.tasks.all()}
    assert tasks == sorted(tasks)
    assert predicate_of(receipt)["submission"] == submission.public_id
    assert predicate_of(receipt)["passes"] == {"outside": 24}
    page = Client().get(submission.get_absolute_url()).text
    assert f"/api/v1/submissions/{submission.public_id}/receipt" in page
    assert f"/api/v1/receipts/{receipt.digest}/verdicts" in page


def test_changed_verdicts_and_scores_are_named(cast: Cast, tmp_path: Path) -> None:
    envelope, verdicts = files(receipt_of(cast.judged_submission(cast.entrant())), tmp_path)
    content = verdicts.read_bytes()
    verdicts.write_bytes(content.replace(b"passed", b"pasted", 1))
    done = in_process("verify", envelope, "--verdicts", verdicts)
    assert (done.code, "its SHA-256 differs" in done.err) == (2, True)
    # Also if the one who changes them computes the digest anew.
    changed = (
        content.replace(b'"passed"', b'"failed"', 1),
        content.replace(
            b'"status":"passed","task_id":0,"test_set":"","tier":"outside","turn":null,"value":1',
            b'"status":"failed","task_id":0,"test_set":"","tier":"outside","turn":null,"value":0',
        ),
    )
    for text, says in zip(
        changed, ("line 2: Its value", "pass@1 overall : value, low"), strict=True
    ):
        receipt = json.loads(envelope.read_text())
        statement = statement_in(receipt)
        statement["predicate"]["verdicts"]["sha256"] = hashlib.sha256(text).hexdigest()
        receipt["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
        (tmp_path / "forged.json").write_text(json.dumps(receipt))
        verdicts.write_bytes(text)
        done = in_process("verify", tmp_path / "forged.json", "--verdicts", verdicts)
        assert (done.code, says in done.err) == (2, True), done.err


def test_a_malformed_file_is_refused_by_its_line(cast: Cast, tmp_path: Path) -> None:
    envelope, verdicts = files(receipt_of(cast.judged_submission(cast.entrant())), tmp_path)
    lines = verdicts.read_bytes().splitlines(keepends=True)
    receipt = json.loads(envelope.read_text())
    statement = statement_in(receipt)
    verdict = lines[1]
    malformed = (b"{\n", b"[]\n", b"{}\n", b"\xff\n", b'{"metric":"partial"}\n')
    says = dict.fromkeys((*malformed, verdict.replace(b"passed", b"none")), "line 2: ")
    says[verdict.replace(b'"sample":0', b'"sample":[]')] = "wrong kind"
    for line, words in says.items():
        content = b"".join([lines[0], line, *lines[2:]])
        verdicts.write_bytes(content)
        statement["predicate"]["verdicts"]["sha256"] = hashlib.sha256(content).hexdigest()
        receipt["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
        envelope.write_text(json.dumps(receipt))
        done = in_process("verify", envelope, "--verdicts", verdicts)
        assert (done.code, words in done.err) == (2, True), (line, done.err)


def test_what_is_no_receipt_is_refused(tmp_path: Path) -> None:
    (tmp_path / "receipt.json").write_text("[]")
    for receipt, says in (("receipt.json", "is no receipt"), ("none", "cannot be read")):
        done = in_process("verify", tmp_path / receipt, "--verdicts", tmp_path / "receipt.json")
        assert (done.code, says in done.err) == (2, True)


# --- When receipts are made ----------------------------------------------------------------------


def test_the_job_that_makes_the_board_makes_the_receipt_once(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    for _ in range(2):
        board = want_board(submission=submission)
        Board.objects.update(made_at=None)
        jobs.board(board.pk)
    assert Receipt.objects.get().submission == submission


def test_no_receipt_is_made_of_a_private_result(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), publish=False)
    make_receipts(want_board(submission=submission))
    assert not Receipt.objects.exists()
    assert Client().get(f"/api/v1/submissions/{submission.public_id}/receipt").status_code == 404


def test_other_scores_supersede_a_receipt_and_the_same_ones_do_not(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    first = receipt_of(submission)
    assert receipt_of(score_anew(cast, submission)) == first
    Verdict.objects.filter(pk=Verdict.objects.filter(status="passed")[0].pk).update(
        integrity="confirmed"
    )
    second = receipt_of(score_anew(cast, submission))
    assert second != first
    assert [state_of(first), state_of(second)] == ["superseded", "valid"]
    TaskExclusion.objects.create(
        task=submission.revision.tasks.first(), reason="Broken.", decided_by=cast.dora
    )
    third = receipt_of(score_anew(cast, submission))
    assert state_of(second) == "superseded"
    assert predicate_of(third)["revision"]["left_out"] == [0]
    # A file that somebody cites stays readable.
    assert Client().get(f"/api/v1/receipts/{first.digest}/verdicts").status_code == 200


def test_a_withdrawn_result_says_so_until_it_is_published_again(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    receipt = receipt_of(submission)
    withdraw_submission(submission=submission)
    assert state_of(receipt) == "withdrawn"
    own = f"submissions/{submission.public_id}/receipt"
    for path in (f"receipts/{receipt.digest}/verdicts", own):
        assert Client().get(f"/api/v1/{path}").status_code == 404
    submission.refresh_from_db()
    publish_submission(submission=submission)
    assert receipt_of(submission) == receipt
    assert state_of(receipt) == "valid"


def refuse() -> None:
    Evaluation.objects.update(state=EvaluationState.REFUSED)
    make_receipts(want_board(submission=Submission.objects.get()))


@pytest.mark.parametrize(
    ("step", "state"),
    [
        (refuse, "superseded"),
        (lambda: discount(evaluation=Evaluation.objects.get()), "superseded"),
        (lambda: Benchmark.objects.update(listed=False), "unlisted"),
    ],
    ids=["refused", "discounted", "unlisted"],
)
def test_a_receipt_is_valid_no_more_after(
    cast: Cast, step: Callable[[], object], state: str
) -> None:
    receipt = receipt_of(cast.judged_submission(cast.entrant()))
    step()
    assert state_of(receipt) == state


@pytest.mark.any_database
def test_a_file_that_tells_of_tests_which_are_hidden_since_is_replaced(
    cast: Cast, tmp_path: Path
) -> None:
    Benchmark.objects.filter(pk=cast.rucodeeval.pk).update(shows_output=True)
    first = receipt_of(of_family(cast, "aixbench_auto"))
    assert "pass_ratio" in files(first, tmp_path)[1].read_text()
    Benchmark.objects.update(shows_output=False)
    address = f"/api/v1/receipts/{first.digest}/verdicts"
    assert (Client().get(address).status_code, state_of(first)) == (404, "superseded")
    second = receipt_of(first.submission)
    assert '"pass_ratio"' not in files(second, tmp_path)[1].read_text()
    assert second != first and Client().get(address).status_code == 404


@pytest.mark.any_database
def test_base_completions_that_arrive_later_are_in_no_earlier_receipt(cast: Cast) -> None:
    entrant = cast.entrant()
    talk = cast.judged_submission(entrant, benchmark=cast.codeif, setting="multi_turn", samples=1)
    before = statement_in(receipt_of(talk).envelope)["subject"]
    cast.submission(entrant, benchmark=cast.codeif, setting="base", samples=1)
    take_base(submission=talk)
    assert talk.generations.filter(turn=0).exists()
    Receipt.objects.all().delete()
    assert statement_in(receipt_of(talk).envelope)["subject"] == before


def test_a_file_is_sent_as_it_is_stored_or_decoded(cast: Cast) -> None:
    receipt = receipt_of(cast.judged_submission(cast.entrant()))
    address = f"/api/v1/receipts/{receipt.digest}/verdicts"
    packed = Client().get(address, headers={"Accept-Encoding": "br, gzip"})
    plain = Client().get(address)
    assert (packed.content, packed["Content-Encoding"]) == (bytes(receipt.verdicts), "gzip")
    assert plain.getvalue() == gzip.decompress(packed.content)
    assert packed["ETag"] != plain["ETag"]
    for answer, accepted in ((packed, "gzip"), (plain, "")):
        headers = {"Accept-Encoding": accepted, "If-None-Match": answer["ETag"]}
        assert Client().get(address, headers=headers).status_code == 304


# --- Keys ----------------------------------------------------------------------------------------


def test_receipts_verify_after_rotation(cast: Cast, key_file: Path) -> None:
    first = receipt_of(cast.judged_submission(cast.entrant("Larch")))
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert [path.name for path in key_file.parent.glob("receipt-key*")] == ["receipt-key"]
    call_command("rotate_receipt_key")
    second = receipt_of(cast.judged_submission(cast.entrant("Birch")))
    assert accepts(first) and accepts(second)
    old, new = ReceiptKey.objects.all()
    assert (old.until is None, new.until) == (False, None)
    keyids = [row.envelope["signatures"][0]["keyid"] for row in (first, second)]
    assert keyids == [old.keyid, new.keyid]


def test_a_key_that_was_rotated_out_signs_nothing(key_file: Path, db: None) -> None:
    signed(b"")
    old = key_file.read_bytes()
    call_command("rotate_receipt_key")
    key_file.write_bytes(old)
    with pytest.raises(WrongKey, match="Copy it from the host"):
        signed(b"")


def test_a_rotation_that_dies_at_any_step_leaves_a_key_that_signs(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed(b"")
    for steps in range(99):
        left = iter(range(steps))

        def step(act: Callable[..., Any], left: Iterator[int] = left) -> Callable[..., Any]:
            def acting(*words: Any, **options: Any) -> Any:
                if next(left, None) is None:
                    raise DatabaseError
                return act(*words, **options)

            return acting

        with monkeypatch.context() as patch, suppress(DatabaseError):
            for name in ("open", "fsync", "replace", "link"):
                patch.setattr(os, name, step(getattr(os, name)))
            patch.setattr(connection, "_commit", step(connection._commit))
            with connection.execute_wrapper(lambda execute, *words: step(execute)(*words)):
                call_command("rotate_receipt_key")
            break
        signed(b"")
    assert 5 < steps < 99


def test_a_site_without_a_key_has_none_to_rotate(key_file: Path, db: None) -> None:
    for options in ([], ["--lost"]):
        with pytest.raises(CommandError, match="no key of receipts yet"):
            call_command("rotate_receipt_key", *options)
    assert not key_file.exists() and not ReceiptKey.objects.exists()


@pytest.mark.any_database
@pytest.mark.parametrize("content", [None, "another"])
def test_a_host_without_the_key_replaces_it_only_when_it_is_lost(
    cast: Cast, key_file: Path, content: str | None
) -> None:
    receipt = receipt_of(cast.judged_submission(cast.entrant()))
    present = key_file.read_bytes()
    key_file.unlink()
    if content:
        rows = ReceiptKey.objects.all()
        kept = list(rows)
        rows.delete()
        signed(b"")
        rows.delete()
        ReceiptKey.objects.bulk_create(kept)
    for act in (lambda: signed(b""), lambda: call_command("rotate_receipt_key")):
        with pytest.raises((WrongKey, CommandError), match="does not hold the site's key"):
            act()
    assert ReceiptKey.objects.get().until is None
    call_command("rotate_receipt_key", "--lost")
    signed(b"")
    assert accepts(receipt) and key_file.read_bytes() != present
    assert [key.until is None for key in ReceiptKey.objects.all()] == [False, True]


@pytest.mark.any_database
def test_without_a_key_a_board_is_made_and_its_receipts_follow_with_the_key(
    cast: Cast, key_file: Path
) -> None:
    submission = cast.judged_submission(cast.entrant())
    key_file.write_text("no key")
    board = want_board(submission=submission)
    Board.objects.update(made_at=None)
    jobs.board(board.pk)
    board.refresh_from_db()
    assert board.made == board.wanted
    now = timezone.now()
    for made, rung, due in ((9, None, False), (11, None, True), (99, 59, False), (99, 61, True)):
        last = rung and now - timedelta(minutes=rung)
        Board.objects.update(made_at=now - timedelta(minutes=made), rung=last)
        changes = PublicChange.objects.count()
        reconcile()
        assert [bell_of(row).name for row in unheard_rows() if row == board] == ["sign"] * due
        with pytest.raises(ExceptionGroup):
            jobs.sign(board.pk)
        assert PublicChange.objects.count() == changes
    key_file.unlink()
    jobs.sign(board.pk)
    assert not unsigned().exists()
