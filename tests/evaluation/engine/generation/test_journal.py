"""Tests of the journal: answers are on disk before they are used, and a torn journal can be
resumed."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import SandboxError, UploadError
from evaluation.engine.generation.answers import Answer
from evaluation.engine.generation.journal import Journal, TurnResults
from evaluation.engine.records import Key
from tests.evaluation.engine.generation.tasks import journal

ASKED = [{"role": "user", "content": "Напиши \ud800 f"}]
PLACES = [Key(1, 0, None, 0), Key("1", 0, "Code Standard", 1), Key(2, 3, None, 4)]
ROW = TurnResults({None: True, "Code Standard": False}, "AssertionError: жук")


def filled(path: Path) -> None:
    async def fill() -> None:
        async with journal(path) as open_one:
            for number, place in enumerate(PLACES):
                await open_one.save_answer(place, ASKED, Answer(f"ответ {number}", "stop"))
            await open_one.save_row(PLACES[2], ROW)

    asyncio.run(fill())


def held(path: Path, **identity: str) -> Journal:
    async def read() -> Journal:
        async with journal(path, **identity) as open_one:
            return open_one

    return asyncio.run(read())


def test_everything_that_was_saved_is_there_again(tmp_path: Path) -> None:
    filled(tmp_path / "j")
    found = held(tmp_path / "j")
    texts = {place: saved.answer.text for place, saved in found.answers.items()}
    assert texts == dict(zip(PLACES, ("ответ 0", "ответ 1", "ответ 2"), strict=True))
    assert found.rows == {PLACES[2]: ROW}


@given(data=st.data())
def test_a_journal_torn_anywhere_keeps_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("journal") / "j"
    filled(path)
    content = path.read_bytes()
    kept = content[: data.draw(st.integers(0, len(content)))]
    path.write_bytes(kept)
    whole = kept.count(b"\n")
    found = held(path)
    assert len(found.answers) + len(found.rows) == max(0, whole - 1)
    assert len(path.read_bytes().splitlines()) == max(1, whole)


def test_what_comes_at_once_is_written_together_and_in_order(tmp_path: Path) -> None:
    async def fill() -> None:
        async with journal(tmp_path / "j") as open_one:
            saves = [open_one.save_answer(Key(n, 0), ASKED, Answer(str(n))) for n in range(200)]
            await asyncio.gather(*saves)

    asyncio.run(fill())
    assert [place.task_id for place in held(tmp_path / "j").answers] == list(range(200))


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file grows beyond the given number of bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_the_machinerys_and_costs_nothing_that_was_saved(tmp_path: Path) -> None:
    filled(tmp_path / "j")
    size = (tmp_path / "j").stat().st_size

    async def more() -> None:
        async with journal(tmp_path / "j") as open_one:
            await open_one.save_answer(Key(9, 0), ASKED, Answer("x" * 9999))

    with full_disk(size + 100), pytest.raises(SandboxError, match=r": j: File too large"):
        asyncio.run(more())
    assert held(tmp_path / "j").answers.keys() == set(PLACES)
    with full_disk(10), pytest.raises(SandboxError, match="cannot be written"):
        held(tmp_path / "other")


def test_answers_of_another_model_do_not_go_together(tmp_path: Path) -> None:
    filled(tmp_path / "j")
    with pytest.raises(UploadError, match=r"another run \(model differ\)"):
        held(tmp_path / "j", model="other")


def test_two_runs_do_not_write_at_once(tmp_path: Path) -> None:
    async def twice() -> None:
        async with journal(tmp_path / "j"):
            journal(tmp_path / "j")

    with pytest.raises(UploadError, match="another run"):
        asyncio.run(twice())


@pytest.mark.parametrize("line", ["{}", "[]", "no JSON", '{"place": [1], "answer": {"x": 1}}'])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    filled(tmp_path / "j")
    with (tmp_path / "j").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(UploadError) as caught:
        held(tmp_path / "j")
    assert caught.value.problems[0].line == 6
