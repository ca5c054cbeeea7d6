"""The runner's side of Java tests that ask for their expected values."""

import socket
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside.expectations import (
    MOST,
    OFTEN,
    STOPPED,
    THROUGH,
    Connection,
    Served,
)

TEST, EMPTY = "ledger.TotalsTest::one", "ledger.TotalsTest::none"
VALUES = {TEST: [["7", "8"], ["\ud800ä", "x"]], EMPTY: []}


class Asking:
    """Plays the part of our Java class: sends its messages and reads the answers."""

    def __init__(self, *, control: bool) -> None:
        self.served = Served({"control": control, "tests": VALUES})
        self.own, other = socket.socketpair()
        self.connection = Connection(self.served, other)
        self._begun = 0

    def say(self, kind: str, number: int, at: int = 0, text: str = "") -> None:
        self.connection.take(
            struct.pack(">cii", kind.encode(), number, at) + text.encode("utf-16-be")
        )

    def ask(self, kind: str, number: int, at: int = 0) -> tuple[bool, str]:
        self.say(kind, number, at)
        keep, size = struct.unpack(">?i", self.own.recv(5))
        text = self.own.recv(2 * size) if size else b""
        return keep, text.decode("utf-16-be", "surrogatepass")

    def begin(self, name: str = TEST) -> int:
        self._begun += 1
        self.say("b", self._begun, len(name), name)
        return self._begun

    def refuse(self, number: int) -> bool:
        return bool(self.ask("r", number)[1])


@pytest.fixture(params=[False, True], ids=["run", "control"])
def tests(request: pytest.FixtureRequest) -> Iterator[Asking]:
    made = Asking(control=request.param)
    yield made
    made.own.close()


def of(control: bool) -> Asking:
    return Asking(control=control)


def test_a_run_gets_the_right_values_and_ends_as_it_ended() -> None:
    run = of(control=False)
    one = run.begin()
    assert [run.ask("a", one, at) for at in (0, 1)] == [(False, "7"), (False, "\ud800ä")]
    run.say("h", one)
    assert run.refuse(one)
    assert run.ask("e", one, 1) == (False, "")
    assert run.served.ended == {
        TEST: [{"value 0": 1, "value 1": 1, "held": 1, "refused": 1}, 1, 1, 0]
    }


def test_a_control_gets_wrong_values_and_stops() -> None:
    run = of(control=True)
    one = run.begin()
    assert run.ask("a", one, 0) == (False, "8")
    assert not run.refuse(one)
    assert run.ask("e", one) == (False, STOPPED)
    assert run.served.ended == {TEST: [{"value 0": 1, "refused": 1}, 1, 0, 0]}


def test_a_wrong_value_that_holds_goes_through() -> None:
    run = of(control=True)
    one, other = run.begin(), run.begin()
    for number in (one, other):
        assert run.ask("a", number, 0)[1] == "8"
    run.say("h", one)
    assert not run.refuse(other)
    assert [run.ask("e", number)[1] for number in (one, other)] == [THROUGH, STOPPED]
    assert run.served.ended == {TEST: [{"value 0": 2, "held": 1, "refused": 1}, 2, 0, 1]}


def test_a_test_without_expectations_goes_through() -> None:
    run = of(control=True)
    assert run.ask("e", run.begin(EMPTY))[1] == THROUGH
    assert run.served.ended == {EMPTY: [{}, 1, 0, 0]}


def test_later_values_of_a_test_in_a_control_are_right_so_that_it_runs_to_its_end() -> None:
    run = of(control=True)
    one = run.begin()
    values = []
    for _ in range(MOST):
        values.append(run.ask("a", one, 0)[1])
        assert not run.refuse(one)
    assert set(values) == {"8"}
    assert run.ask("a", one, 0)[1] == "7"
    run.say("h", one)
    assert run.refuse(one), "an own failure of the test"
    assert run.ask("e", one, 1)[1] == STOPPED


def test_a_value_that_is_asked_for_very_often_is_kept(tests: Asking) -> None:
    one = tests.begin()
    for _ in range(OFTEN):
        assert tests.ask("a", one, 0)[0] is False
        tests.refuse(one)
    assert tests.ask("a", one, 0) == (True, "7")
    assert tests.ask("a", one, 1)[0] is False


@pytest.mark.parametrize(
    "message",
    [
        *(("x", 1, 0), ("a", 1, 2), ("a", 1, -1), ("a", 2, 0)),
        *(("e", 2, 0), ("b", 2, -1), ("b", 2, 10**6)),
    ],
)  # fmt: skip
def test_what_our_class_does_not_send_makes_a_report_incomplete(
    tests: Asking, message: tuple[str, int, int]
) -> None:
    tests.begin()
    assert tests.served.sound
    tests.say(*message)
    assert not tests.served.sound


def test_an_unknown_test_makes_a_report_incomplete(tests: Asking) -> None:
    tests.begin("ledger.TotalsTest::other")
    assert not tests.served.sound


def test_answers_that_nobody_reads_do_not_hold_the_runner(tests: Asking) -> None:
    one = tests.begin()
    for _ in range(10**6):
        tests.say("a", one, 1)
        if not tests.served.sound:
            return
    raise AssertionError("it still answers")


@given(st.lists(st.binary(max_size=40)))
def test_no_bytes_break_the_runner(parts: list[bytes]) -> None:
    run = of(control=False)
    run.begin()
    for part in parts:
        run.connection.take(part)
    run.own.close()
