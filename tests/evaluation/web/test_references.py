"""Results of a benchmark's own programs are stored unchanged, once for each build and engine."""

import json
from dataclasses import asdict

import pytest

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.records import DryRun, Reference
from evaluation.models import ReferenceHidden, ReferenceVerdict
from evaluation.state.projects import BUILDS, agreed_dry_run
from evaluation.state.references import (
    keep_failure,
    keep_references,
    newest,
    reference_records,
)
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.scores.models import Score
from tests.support.cast import Cast
from tests.support.in_projects import NAMES, in_projects, keep, prepared, references

pytestmark = pytest.mark.any_database

__all__ = ["in_projects"]


@pytest.fixture
def revision(in_projects: Benchmark) -> Revision:
    assert in_projects.current is not None
    return in_projects.current


def kept(revision: Revision, pk: int) -> dict[str, Reference]:
    return reference_records(revision, ENGINE_VERSION)[pk]


def test_all_hosts_take_the_times_of_the_first(revision: Revision) -> None:
    task = next(iter(task_records(revision).values()))
    one, other = prepared(task, key="a" * 64), prepared(task, key="b" * 64)
    first, second = DryRun(1.0, 2.5, 0.5), DryRun(9.0, 9.0, 9.0)
    assert agreed_dry_run(one, lambda: None) is None, "no test passes"
    assert agreed_dry_run(one, lambda: first) == first
    assert agreed_dry_run(one, lambda: pytest.fail("measured again")) == first
    assert agreed_dry_run(other, lambda: second) == second


def test_all_hosts_take_the_build_that_was_pushed_first(revision: Revision) -> None:
    made = prepared(next(iter(task_records(revision).values())), key="a" * 64, shared="sha256:1")
    first = {**asdict(made), "bytes": 7, "seconds": 1.5}
    assert BUILDS.known(made.key) is None
    for record in (first, {**first, "shared": "sha256:2"}):
        BUILDS.agree(record)
    assert BUILDS.known(made.key) == json.loads(json.dumps(first))


def test_references_come_back_as_they_were_kept(revision: Revision) -> None:
    pk, task = next(iter(task_records(revision).items()))
    found = references(oracle={"unsound": "It fails.", "facts": {"a": [1, 1.0]}})
    keep_references(prepared=prepared(task, remains=("/usr/x.py",)), found={pk: found})
    assert kept(revision, pk) == found
    row = ReferenceVerdict.objects.get(name="oracle")
    assert (row.tests_passed, row.tests_total, row.remains) == (1, 2, ["/usr/x.py"])
    assert row.base == "python:3.11.11-slim-bookworm"


def test_the_same_build_again_replaces_them_in_the_order_in_which_they_are_run(
    revision: Revision,
) -> None:
    keep(revision)
    before = set(ReferenceVerdict.objects.values_list("pk", flat=True))
    keep(revision, oracle="It fails now.")
    assert set(ReferenceVerdict.objects.values_list("pk", flat=True)) == before
    assert ReferenceHidden.objects.count() == len(before) == 12 * len(NAMES)
    assert ReferenceVerdict.objects.exclude(unsound="").get().unsound == "It fails now."
    rows = newest(ReferenceVerdict.objects.all())
    assert {tuple(by_name) for by_name in rows.values()} == {NAMES}


def test_of_several_builds_the_one_seen_last_counts_whole(revision: Revision) -> None:
    first = next(iter(task_records(revision)))
    keep(revision, "sha256:one", oracle="It fails there.")
    keep(revision, "sha256:two")
    assert not any(one.unsound for one in kept(revision, first).values())
    keep(revision, "sha256:one", oracle="It fails there.")
    assert kept(revision, first)["oracle"].unsound == "It fails there."


def test_those_of_another_engine_are_not_mixed_in(revision: Revision) -> None:
    keep(revision)
    ReferenceVerdict.objects.update(engine_version="0.0.1")
    assert reference_records(revision, ENGINE_VERSION) == {}
    assert len(reference_records(revision, "0.0.1")) == 12


def test_a_project_that_cannot_be_made_makes_its_tasks_unsound(revision: Revision) -> None:
    keep(revision)
    pk = next(iter(task_records(revision)))
    keep_failure(tasks=[pk], cause="no such commit")
    (reference,) = kept(revision, pk).values()
    assert (reference.name, reference.unsound) == ("build", "no such commit")
    keep(revision)
    assert "oracle" in kept(revision, pk)


# --- In the scores ------------------------------------------------------------------------


def overall(cast: Cast, revision: Revision) -> dict[str, Score]:
    submission = cast.judged_submission(cast.entrant(), benchmark=revision.benchmark)
    scores = submission.evaluations.get().scores.filter(slice="overall")
    return {score.metric: score for score in scores}


def test_they_are_scores_of_their_own_kind(cast: Cast, revision: Revision) -> None:
    keep(revision, oracle="It fails.")
    scores = overall(cast, revision)
    assert {
        name: (round(score.value, 4), score.of_references, score.is_count)
        for name, score in scores.items()
        if score.value is not None
    } == {
        "pass@1": (0.6667, False, False),
        "pass_oracle@1": (0.9167, True, False),
        "pass_stub_pass@1": (0.0, True, False),
        "tests": (0.25, True, False),
        "num_samples": (12.0, True, True),
    }


@pytest.mark.parametrize(("tasks", "samples"), [(3, 3), (0, None)])
def test_nothing_is_said_of_tasks_without_any(
    cast: Cast, revision: Revision, tasks: int, samples: int | None
) -> None:
    keep(revision)
    ReferenceVerdict.objects.filter(task__number__gte=tasks).delete()
    scores = overall(cast, revision)
    assert scores["pass@1"].tasks == 12
    counted = scores.get("num_samples")
    assert (counted and counted.value) == samples
    assert tasks or set(scores) == {"pass@1"}
