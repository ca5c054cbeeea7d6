"""Tests of asking a model: a saved answer is not asked for again, and an endpoint without answers
ends the run in time."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.engine.generation.answers import Answer, Patience, Refused, Unanswered
from evaluation.engine.generation.asking import Asker, Model, Tally
from evaluation.engine.records import Key
from tests.evaluation.engine.generation.tasks import Canned, journal, said

QUICK = Patience(tries=3, first=0.001)


def message(number: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"message {number}"}]


class Failing:
    """A model that raises the error for messages with these numbers and answers the others."""

    def __init__(self, error: Exception, *numbers: int) -> None:
        self.asked = 0
        self._error, self._numbers = error, numbers

    async def answer(self, messages: Sequence[dict[str, str]]) -> Answer:
        self.asked += 1
        number = int(messages[0]["content"].split()[-1])
        if number in self._numbers:
            raise self._error
        return Answer("ok", "length")


def asked(path: Path, model: Model, numbers: Sequence[int]) -> tuple[list[str | None], Tally]:
    async def ask() -> tuple[list[str | None], Tally]:
        async with journal(path) as kept:
            asker = Asker(model, kept, width=2, patience=QUICK)
            return [await asker.ask(Key(n, 0), message(n)) for n in numbers], asker.tally

    return asyncio.run(ask())


def test_a_saved_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    asked(tmp_path / "j", Canned(), [1, 2])
    model = Canned()
    found, tally = asked(tmp_path / "j", model, [1, 2, 3])
    assert found == [said(message(n)) for n in (1, 2, 3)]
    assert model.asked == [message(3)]
    assert (tally.answered, tally.kept, tally.tokens_in, tally.models) == (1, 2, 21, {"canned-1"})


def test_an_answer_to_other_messages_is_none(tmp_path: Path) -> None:
    async def other() -> None:
        async with journal(tmp_path / "j") as kept:
            asker = Asker(Canned(), kept, width=1, patience=QUICK)
            await asker.ask(Key(1, 0), message(1))
            await asker.ask(Key(1, 0), message(2))

    with pytest.raises(UploadError, match="to other messages"):
        asyncio.run(other())


def test_a_message_is_sent_again_so_many_times(tmp_path: Path) -> None:
    model = Failing(Unanswered("busy"), 2)
    found, tally = asked(tmp_path / "j", model, [1, 2, 3])
    assert found == ["ok", None, "ok"]
    assert (model.asked, tally.again, tally.lost) == (5, 2, {Key(2, 0): "busy"})
    assert (tally.cut_off, tally.uncounted) == (2, 2)


@pytest.mark.parametrize(
    ("refused", "numbers"), [([2], [1, 2, 3]), ([1], [1, 2]), (range(2, 20), range(1, 21))]
)
def test_what_is_refused_is_asked_once_and_the_rest_goes_on(
    tmp_path: Path, refused: Sequence[int], numbers: Sequence[int]
) -> None:
    model = Failing(Refused("too long"), *refused)
    found, tally = asked(tmp_path / "j", model, numbers)
    assert found == [None if n in refused else "ok" for n in numbers]
    assert (model.asked, len(tally.lost)) == (len(numbers), len(refused))


@pytest.mark.parametrize(
    ("error", "failing", "told", "tries"),
    [
        # Where the first messages are refused, so would be all.
        (Refused("no such parameter"), range(1, 100), "gives no answer: no such parameter", 5),
        (Refused("wrong key", everything=True), [2], "wrong key", 2),
        # The first one is answered, and five others are tried three times.
        (Unanswered("down"), range(2, 100), "gives no answer: down", 1 + 5 * 3),
    ],
)
def test_what_no_message_can_change_ends_a_run(
    tmp_path: Path, error: Exception, failing: Sequence[int], told: str, tries: int
) -> None:
    model = Failing(error, *failing)
    with pytest.raises(EndpointError, match=told):
        asked(tmp_path / "j", model, range(1, 100))
    assert model.asked == tries
