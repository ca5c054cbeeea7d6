"""A run resumes from its own report only."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evaluation.cli.conftest import RIGHT, Small, small
from tests.support.commands import Fate, fates, in_process, write_lines

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A run that is over; tests copy its report."""
    given = small(tmp_path_factory.mktemp("finished"))
    done = in_process(*given.words())
    assert done.code == 0, done.err
    return given


@pytest.fixture
def copied(finished: Small, tmp_path: Path) -> Small:
    report = tmp_path / "report.jsonl"
    report.write_bytes(finished.report.read_bytes())
    _beside(report).write_bytes(_beside(finished.report).read_bytes())
    return Small(finished.tasks, finished.answers, finished.predictions, report)


def _beside(report: Path) -> Path:
    return report.with_name(report.name + ".run.json")


def _goes_on_to(given: Small, whole: list[Fate]) -> None:
    done = in_process(*given.words())
    assert done.code == 0, done.err
    assert fates(given.report) == whole


def test_nothing_is_judged_twice(finished: Small, copied: Small) -> None:
    before = copied.report.read_bytes()
    _goes_on_to(copied, fates(finished.report))
    assert copied.report.read_bytes() == before


def _cut_and_every_second_line(text: bytes) -> bytes:
    return b"".join(text.splitlines(keepends=True)[::2])[:-20]


@pytest.mark.parametrize("lose", [_cut_and_every_second_line, lambda _: b""])
def test_what_is_missing_is_judged_again(
    finished: Small, copied: Small, lose: Callable[[bytes], bytes]
) -> None:
    copied.report.write_bytes(lose(copied.report.read_bytes()))
    _goes_on_to(copied, fates(finished.report))


def test_a_line_that_is_no_verdict_is_named(copied: Small) -> None:
    line = json.loads(copied.report.read_text().splitlines()[0])
    with copied.report.open("a") as file:
        print(json.dumps({**line, "task_id": [1]}), file=file)
    done = in_process(*copied.words())
    assert (done.code, "line 5: " in done.err) == (2, True), done.err


@pytest.mark.parametrize("changed", ["limits", "predictions"])
def test_a_report_of_another_run_is_refused_and_left_alone(copied: Small, changed: str) -> None:
    before = copied.report.read_bytes()
    other = copied.report.with_name("other.jsonl")
    write_lines(other, [{"task_id": 1, "completion": RIGHT["double"]}])
    options = {"limits": {"limit": "cpu=2s"}, "predictions": {"predictions": str(other)}}[changed]
    done = in_process(*copied.words(**options))
    assert done.code == 2
    assert f"another run ({changed} differ)" in done.err
    assert copied.report.read_bytes() == before


def test_a_file_that_is_no_report_is_left_alone(given: Small) -> None:
    given.report.write_text("my notes\n")
    done = in_process(*given.words())
    assert done.code == 2
    assert "is not a report to resume from" in done.err
    assert given.report.read_text() == "my notes\n"


@pytest.mark.parametrize("text", ['{"family": "ruco', "[]"])
def test_a_description_of_the_run_that_was_cut_short_is_a_sentence(
    copied: Small, text: str
) -> None:
    """A kill while the description is written leaves it cut short."""
    _beside(copied.report).write_text(text)
    done = in_process(*copied.words())
    assert done.code == 2
    assert "Traceback" not in done.err
    assert str(copied.report) in done.err
