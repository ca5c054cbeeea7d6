"""Only data that no page shows is removed."""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from random import Random
from string import ascii_letters

import pytest
from django.core.management import call_command
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation.management.commands import prune as retention
from evaluation.models import Evaluation, EvaluationState, Forecast, Verdict, VerdictOutput
from evaluation.work.actions import open_evaluation
from leaderboard.benchmarks.models import Benchmark
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Consent, Licence
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


@pytest.fixture
def replaced(cast: Cast) -> tuple[Evaluation, Evaluation]:
    """An evaluation that was superseded 40 days ago, and its successor on the board."""
    submission = cast.judged_submission(cast.entrant(), output="printed")
    before = submission.evaluations.get()
    after = open_evaluation(submission=submission)
    cast.judge(after)
    cast.score(after)
    cast.publish(submission)
    past = timezone.now() - timedelta(days=40)
    Evaluation.objects.filter(pk=before.pk).update(finished=past)
    assert Evaluation.objects.get(current=True) == after
    return before, after


def prune(*words: str) -> str:
    out = StringIO()
    call_command("prune", *words, stdout=out)
    return out.getvalue()


def test_nothing_goes_before_somebody_confirms(
    replaced: tuple[Evaluation, Evaluation], settings: Settings, tmp_path: Path
) -> None:
    settings.LOG_DIR = tmp_path
    said = prune()
    assert "1 superseded evaluations\n36 verdicts, about " in said
    assert "0 long logs" in said and "Nothing was removed." in said
    assert Verdict.objects.count() == 72
    assert "0 superseded evaluations\n0 verdicts" in prune("--days", "60")


def test_the_room_counts_all_rows_that_go_and_is_summed(
    replaced: tuple[Evaluation, Evaluation], settings: Settings, tmp_path: Path
) -> None:
    settings.LOG_DIR = tmp_path
    before, after = replaced
    Forecast.objects.create(
        evaluation=before, phase=0, queue="python", made=timezone.now(), seconds=1.0
    )
    # A random text, because PostgreSQL compresses repetitive ones, and a long one, because its maps
    # of free pages and its indexes take 0.3 MB, however few rows there are.
    text = "".join(Random(7).choices(ascii_letters, k=40_000))
    soon = timezone.now() + timedelta(days=1)
    VerdictOutput.objects.bulk_create(
        VerdictOutput(verdict=one, expires=soon) for one in after.verdicts.all()
    )
    VerdictOutput.objects.update(text=text, expires=soon)
    found = retention.removable(30)
    numbers = {one.kind: one.number for one in found}
    assert (numbers["verdict outputs"], numbers["forecasts"]) == (36, 1)
    (room,) = (one.room for one in found if one.kind == "verdict outputs")
    if room is not None:  # SQLite may be built without dbstat.
        assert 36 * len(text) <= room <= 2 * 36 * len(text)
    total = sum(one.room or 0 for one in found)
    assert f"Together about {filesizeformat(total)}.\n" in prune()
    prune("--yes")
    kept = VerdictOutput.objects.filter(verdict__evaluation=after)
    assert kept.count() == VerdictOutput.objects.count() == 36
    assert not Forecast.objects.exists()


def test_a_superseded_evaluation_goes_and_the_current_one_stays(
    replaced: tuple[Evaluation, Evaluation],
) -> None:
    before, after = replaced
    shown = list(Score.objects.filter(evaluation=after).order_by("pk").values())
    prune("--yes")
    assert list(Evaluation.objects.all()) == [after]
    assert after.verdicts.count() == 36
    assert list(Score.objects.order_by("pk").values()) == shown
    assert f"evaluation {before.pk}" not in prune("--yes")


@pytest.mark.parametrize("state", EvaluationState.moving())
def test_an_evaluation_that_moves_or_that_a_board_shows_stays(
    replaced: tuple[Evaluation, Evaluation], state: EvaluationState
) -> None:
    before, after = replaced
    Evaluation.objects.filter(pk=before.pk).update(state=state)
    Evaluation.objects.filter(pk=after.pk).update(
        current=False, finished=timezone.now() - timedelta(days=40)
    )
    assert not retention.superseded(30).exists()


def test_expired_excerpts_go_and_others_stay(replaced: tuple[Evaluation, Evaluation]) -> None:
    first = VerdictOutput.objects.order_by("pk").first()
    VerdictOutput.objects.exclude(pk=first.pk).update(expires=timezone.now() - timedelta(seconds=1))
    consent = Consent.objects.create(submission=replaced[0].submission, licence=Licence.MIT)
    numbers = []
    for shows, agreed in ((True, True), (False, True), (True, False)):
        Benchmark.objects.update(shows_output=shows)
        if not agreed:
            consent.delete()
        numbers += [one.number for one in retention.removable(60) if one.kind == "verdict outputs"]
        if shows and agreed:
            list(retention.remove(60))
            assert VerdictOutput.objects.count() == 36
    assert numbers == [0, 35, 35]
    list(retention.remove(60))
    assert list(VerdictOutput.objects.all()) == [first]
    assert Verdict.objects.count() == 72


def test_a_long_log_keeps_its_last_lines(settings: Settings, tmp_path: Path, db: None) -> None:
    settings.LOG_DIR = tmp_path
    long, short = tmp_path / "web.log", tmp_path / "desk.log"
    short.write_text("one\n")
    with long.open("ab") as program:
        program.write(b"".join(b"line %07d\n" % n for n in range(900_000)))
        program.flush()
        list(retention.remove(30))
        program.write(b"written later\n")
    lines = long.read_bytes().splitlines()
    assert lines[-2:] == [b"line 0899999", b"written later"]
    assert len(lines) < 90_000 and lines[0].startswith(b"line 08")
    assert short.read_text() == "one\n"
