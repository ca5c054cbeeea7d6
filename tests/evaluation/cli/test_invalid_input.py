"""Tests that invalid input ends with exit code 2 and a sentence, before anything is judged."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.cli import DONE, INVALID, main
from evaluation.engine.sandbox import docker
from tests.evaluation.cli.conftest import RIGHT, Small
from tests.support.commands import write_lines

NOWHERE = "/nonexistent/file"


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[[list[str]], str]:
    """The command's message; the command must end with 2, without a traceback."""

    def words_of(words: list[str]) -> str:
        assert main(words) == INVALID
        said = capsys.readouterr().err
        assert "Traceback" not in said
        return said

    return words_of


Refused = Callable[[list[str]], str]


@pytest.mark.parametrize("which", ["tasks", "answers", "predictions"])
def test_a_file_that_is_missing_or_a_folder_is_named(
    given: Small, refused: Refused, which: str, tmp_path: Path
) -> None:
    assert NOWHERE in refused(given.words("validate", **{which: NOWHERE}))
    assert str(tmp_path) in refused(given.words(**{which: tmp_path}))
    assert not given.report.exists()


def test_every_problem_is_told_with_line_id_and_sentence(given: Small, refused: Refused) -> None:
    good = json.dumps({"task_id": 1, "completion": RIGHT["double"]})
    bad = [
        "[]", '{"task_id": 1, "completion": 5}', "{not json", '{"task_id": 77, "completion": ""}',
    ]  # fmt: skip
    given.predictions.write_text("\n".join([good, *bad]) + "\n")
    said = refused(given.words())
    assert [int(n) for n in re.findall(r"^line (\d+)", said, re.MULTILINE)] == [2, 3, 4, 5]
    assert re.search(r"^line 5, task 77: [A-Z].*no such task.*\.$", said, re.MULTILINE)
    assert "not judged: 4 problems" in said
    assert not given.report.exists()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"answers": None}, "the answers file is needed"),
        ({"setting": "two_round"}, "has no setting 'two_round'; it has base."),
        ({"only": "1,44,x"}, "tasks that do not exist: 44, x"),
    ],
)
def test_an_option_that_does_not_fit_the_tasks_is_told(
    given: Small, refused: Refused, changed: dict[str, str | None], words: str
) -> None:
    assert words in refused(given.words(**changed))


@pytest.mark.parametrize(
    "changed", [{"workers": "0"}, {"workers": "many"}, {"limit": "cpu=0"}, {"limit": "cpu=4m"}]
)
def test_a_word_that_makes_no_sense_ends_with_2(
    given: Small, changed: dict[str, str | Path | None], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(given.words(**changed))
    except SystemExit as ended:  # as argparse ends
        assert isinstance(ended.code, int)
        code = ended.code
    assert code == INVALID
    assert next(iter(changed)) in capsys.readouterr().err


def test_a_family_that_does_not_exist_is_answered_with_those_that_do(
    given: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    words = given.words()
    words[1] = "humaneval"
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "rucodeeval" in capsys.readouterr().err


@pytest.mark.docker
@pytest.mark.parametrize("option", ["report", "summary"])
def test_a_place_that_nothing_can_be_written_to_is_told_first(
    given: Small, refused: Refused, option: str
) -> None:
    """It is reported before the judging, which may take an hour."""
    nowhere = str(given.tasks / "out")  # a file is no folder
    assert nowhere in refused(given.words(**{option: nowhere}))
    assert not given.report.exists()


def test_a_good_file_is_described_without_docker(
    given: Small, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "client", lambda: pytest.fail("it asks for Docker"))
    assert main(given.words("validate")) == DONE
    said = capsys.readouterr()
    assert "4 generations of 2 tasks" in said.out
    assert "1 of 3 tasks have no generation" in said.out
    assert said.err == ""


def test_a_bad_file_is_refused_with_its_first_hundred_lines(
    given: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [{"task_id": 1, "completion": "", "requirement": f"{n}"} for n in range(130)]
    write_lines(given.predictions, wrong)
    assert main(given.words("validate")) == INVALID
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("line 1, task 1: ") and said.err.count("\nline ") == 99
    assert "30 more problems" in said.err
    assert "not judged: 130 problems" in said.err
