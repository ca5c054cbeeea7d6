"""The interval in which judging probably ends, replayed from recorded speeds.

`judging.json.gz` was recorded by `python -m bench.record_judging --sample`: real containers, on two
processors that other work slowed all the time. The recorded rows are written to the database again
at their times, while the site's own code keeps forecasts as the reconciler does and is asked for
the end as a page asks. The constants in `forecast.py` were chosen on the first CHOSEN_ON
evaluations; the coverage of the others is tested."""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Worker
from evaluation.state.expected_end import keep_forecast
from evaluation.state.forecast import Interval
from evaluation.state.progress import progress
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast
from tests.support.site import cast

__all__ = ["cast"]

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db, pytest.mark.any_database]

RECORDING = Path(__file__).parent / "data/judging.json.gz"
CHOSEN_ON = 180
MOMENTS = (0.0, 0.25, 0.5, 0.75)
# The recorder looks twice a second. Its chunks are planned for 2 s instead of 45 s, so the
# reconciler passes more often here. Relative to the length of a chunk, a site's pass every 2 s is
# still twice as frequent.
SEEN_SECONDS, RECONCILE_SECONDS = 0.6, 0.2
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
STATES = {state.value[0]: state for state in ChunkState}


class Asked(NamedTuple):
    """A page's forecast at one moment of an evaluation, and the seconds that it really took."""

    place: int
    moment: float
    left: Interval
    real: float


def rows(table: dict[str, list[Any]]) -> Iterator[tuple[Any, ...]]:
    return zip(*table.values(), strict=True)


@dataclass
class Replay:
    """Writes the recording to the database, step by step. `clock` is the site's time."""

    told: dict[str, Any]
    cast: Cast
    clock: float = 0.0
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.evaluations = list(rows(self.told["evaluations"]))
        self.parts: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for key, (place, runs, size) in enumerate(rows(self.told["chunks"])):
            self.parts[place].append((key, runs, size))
        self.entrant = self.cast.entrant()
        self.benchmarks = [self.cast.rucodeeval.current, self.cast.codeif.current]

    def at(self, seconds: float | None) -> datetime | None:
        return None if seconds is None else BEGAN + timedelta(seconds=seconds)

    def steps(self) -> list[tuple[float, int, tuple[Any, ...]]]:
        """By time: evaluations begin, chunks change, evaluations end, pages ask."""
        found: list[tuple[float, int, tuple[Any, ...]]] = []
        for place, (_, created, judged) in enumerate(self.evaluations):
            found.append((created, 0, (place,)))
            if judged is not None:
                found.append((judged, 2, (place,)))
                shown = created + SEEN_SECONDS
                for moment in MOMENTS:
                    found.append((shown + moment * (judged - shown), 3, (place, moment)))
        for time, *change in rows(self.told["changes"]):
            found.append((time, 1, tuple(change)))
        return sorted(found)

    def run(self) -> None:
        does = (self.begin, self.change, self.end, self.ask)
        kept = 0.0
        for time, kind, values in self.steps():
            self.clock = time
            if time - kept >= RECONCILE_SECONDS:
                keep_forecast()
                kept = time
            does[kind](*values)

    def begin(self, place: int) -> None:
        submission = Submission.objects.create(
            entrant=self.entrant,
            revision=self.benchmarks[self.evaluations[place][0]],
            user=self.cast.alice,
            generations_count=1,
            digest="0" * 64,
        )
        Evaluation.objects.create(pk=place + 1, submission=submission)
        Chunk.objects.bulk_create(
            Chunk(
                pk=key + 1, evaluation_id=place + 1, number=number, queue="python",
                first_generation=0, last_generation=0, runs=runs, size=size,
            )
            for number, (key, runs, size) in enumerate(self.parts[place])
        )  # fmt: skip

    def change(
        self, key: int, state: str, judged: int, rung: float, claimed: float, worked: float
    ) -> None:
        chunk = Chunk.objects.filter(pk=key + 1)
        chunk.update(
            state=STATES[state],
            judged=judged,
            rung=self.at(rung),
            claimed=self.at(claimed),
            started=self.at(claimed),
            worked=None if worked is None else timedelta(seconds=worked),
        )
        if claimed is not None:
            fresh = Evaluation.objects.filter(chunks__in=chunk, started=None)
            fresh.update(started=self.at(claimed))

    def end(self, place: int) -> None:
        over = {"judging_ended": self.at(self.evaluations[place][2]), "state": EvaluationState.DONE}
        Evaluation.objects.filter(pk=place + 1).update(**over)

    def ask(self, place: int, moment: float) -> None:
        left = progress(Evaluation.objects.get(pk=place + 1)).left
        if left is not None:
            real = self.evaluations[place][2] - self.clock
            self.asked.append(Asked(place, moment, left, real))


@pytest.fixture
def replay(cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Replay:
    told = json.loads(gzip.decompress(RECORDING.read_bytes()))
    settings.CHUNK_SECONDS = told["chunk_seconds"]
    found = Replay(told, cast)
    random.seed(18)
    for number in range(max(told["host"]["workers"])):
        # The database's clock is not replayed, so the workers must always count as just seen.
        seen = timezone.now() + timedelta(days=1)
        Worker.objects.create(
            name=f"worker-{number}", host="north", queues=["python"], started=seen, seen=seen
        )
    monkeypatch.setattr(timezone, "now", lambda: found.at(found.clock))
    return found


def test_the_interval_covers_the_real_end_in_70_to_90_percent(replay: Replay) -> None:
    replay.run()
    for moment in MOMENTS:
        asked = [x for x in replay.asked if x.moment == moment and x.place >= CHOSEN_ON]
        # No moment may be left out because pages showed no interval at it.
        assert len({one.place for one in asked}) >= 200, moment
        share = sum(one.left.low <= one.real <= one.left.high for one in asked) / len(asked)
        assert 0.7 <= share <= 0.9, moment
