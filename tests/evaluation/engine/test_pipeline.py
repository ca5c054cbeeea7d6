"""Batches count only with truthful canaries, and nothing is lost or blamed wrongly."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.engine import pipeline
from evaluation.engine.errors import EngineAway, SandboxError
from evaluation.engine.family import Canary
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Outcome, Status, Stop
from evaluation.engine.sandbox import attribution
from evaluation.engine.sandbox.slots import Slots

from .scripted import (
    FAMILY,
    LIMITS,
    RIGHT,
    WRONG,
    World,
    case,
    gone,
    stopped_by_processor_time,
    truthful,
)

TEXTS = ["right a", "bad b", "empty", "twice", "right c"]
STATUSES = [Status.PASSED, Status.FAILED, Status.COMPILE_ERROR, Status.PASSED, Status.PASSED]


def judge_of(
    world: World, patience: float = 5.0, stopped: Callable[[], bool] = lambda: False
) -> Judge:
    return Judge(FAMILY, world.open, world.slots, patience=patience, stopped=stopped)


def statuses(world: World, texts: list[str], judge: Judge | None = None) -> list[Status]:
    cases = [case(text, sample) for sample, text in enumerate(texts)]
    verdicts = (judge or judge_of(world)).batch(cases)
    assert [verdict.key for verdict in verdicts] == [c.generation.key for c in cases]
    return [verdict.status for verdict in verdicts]


def test_verdicts_come_in_the_order_of_the_cases_between_the_canaries() -> None:
    world = World()
    assert statuses(world, TEXTS) == STATUSES
    assert world.texts()[0] == "good canary"
    assert world.texts()[-1] == "bad canary"
    assert Counter(world.texts())["twice"] == 2
    assert len(world.opened) == 1


def test_a_case_is_taken_when_the_one_before_it_has_ended() -> None:
    world = World()
    taken: list[str] = []

    def cases() -> Iterator[Case]:
        for name in ("a", "b"):
            taken.append(f"{name} after {len(world.ran)}")
            yield case(f"right {name}")

    assert len(judge_of(world).batch(cases())) == 2
    assert taken == ["a after 1", "b after 2"]


def test_each_generation_is_counted_once_also_where_nothing_runs() -> None:
    done: list[int] = []
    cases = [case(text, sample) for sample, text in enumerate(TEXTS)]
    judge_of(World()).batch(cases, lambda: done.append(1))
    assert len(done) == len(TEXTS)


@pytest.mark.parametrize("liar", ["good canary", "bad canary"])
def test_a_lying_canary_throws_the_batch_away_and_runs_it_again(liar: str) -> None:
    def script(number: int, text: str) -> Outcome:
        if number == 0:  # the first sandbox reports the opposite of every outcome
            return WRONG if truthful(0, text) is RIGHT else RIGHT
        return truthful(number, text)

    def one_liar(number: int, text: str) -> Outcome:
        lies = number == 0 and text in (liar, "right a", "bad b")
        return script(0, text) if lies else truthful(number, text)

    world = World(one_liar)
    assert statuses(world, TEXTS) == STATUSES
    assert len(world.opened) == 2
    assert world.opened[0].closed


def test_canaries_that_lie_three_times_are_the_machinerys_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(lambda *_: WRONG)
    with pytest.raises(SandboxError, match="three times"):
        statuses(world, TEXTS)
    assert len(world.opened) == 3
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3
    assert all("which has to pass, is failed (clean)" in message for message in told)
    assert world.left_open == []


def ends(text: str, *hows: str) -> Callable[[int, str], Outcome | Exception]:
    """The text ends its sandbox in each of these ways in turn; then it behaves."""
    left = list(hows)

    def script(number: int, said: str) -> Outcome | Exception:
        return gone(left.pop(0)) if said == text and left else truthful(number, said)

    return script


@pytest.mark.parametrize(
    ("hows", "status", "alone"),
    [
        # The same end twice is the generation's own. One is forgiven: the run alone decides.
        (["oom", "oom"], Status.MEMORY_EXCEEDED, ["good canary", "bad one"]),
        (["exit 137"], Status.FAILED, ["good canary", "bad one", "good canary"]),
        # Ends that differ do not convict until there are three alone.
        (
            ["oom", "exit 1", "silent", "protocol"],
            Status.RUNTIME_ERROR,
            ["good canary", "bad one"] * 3,
        ),
    ],
)
def test_who_ends_the_sandbox_is_run_alone_and_the_rest_is_judged(
    hows: list[str], status: Status, alone: list[str]
) -> None:
    world = World(ends("bad one", *hows))
    found = statuses(world, ["right a", "bad one", "bad b"])
    assert found == [Status.PASSED, status, Status.FAILED]
    assert world.texts(alone=True) == alone


@pytest.mark.parametrize("position", [0, 7, 15, 16, 20])
def test_whoever_takes_the_sandbox_down_the_others_are_judged_once(position: int) -> None:
    texts = [f"right {n}" for n in range(21)]
    texts[position] = "killer"
    world = World(ends("killer", "exit 1", "exit 1"))
    found = statuses(world, texts)
    assert [n for n, status in enumerate(found) if status is not Status.PASSED] == [position]
    assert Counter(world.texts()).most_common(1)[0][1] <= 2


def test_an_engine_that_loses_sandboxes_accuses_nobody() -> None:
    world = World(ends("right b", *["docker"] * 5))
    assert statuses(world, ["right a", "right b", "bad c"]) == [
        Status.PASSED,
        Status.PASSED,
        Status.FAILED,
    ]
    assert world.texts(alone=True) == []
    assert len(world.opened) == 6


def test_sandboxes_that_always_end_before_the_accused_runs_are_the_machinerys_fault() -> None:
    def script(number: int, text: str) -> Outcome | Exception:
        if number == 0 and text == "right a":
            return gone("exit 1")
        return gone("exit 1") if number else truthful(number, text)

    with pytest.raises(SandboxError, match="before any code"):
        statuses(World(script), ["right a"])


def test_who_brings_the_canary_after_it_down_does_not_end_the_run() -> None:
    """Nothing that a generation does may take the other verdicts away."""
    guilty = [False]

    def script(number: int, text: str) -> Outcome | Exception:
        if text == "killer":
            guilty[0] = True
            return gone("exit 1") if number == 0 else RIGHT
        if guilty[0] and number:
            guilty[0] = False
            return gone("exit 1")
        guilty[0] = False
        return truthful(number, text)

    found = statuses(World(script), ["right a", "killer", "bad b"])
    assert found == [Status.PASSED, Status.RUNTIME_ERROR, Status.FAILED]


def near(seconds: float, then: Outcome) -> Callable[[int, str], Outcome | Exception]:
    """`slow` takes the given time at first, and has the outcome `then` when it runs again."""
    times: list[int] = []

    def script(number: int, text: str) -> Outcome | Exception:
        if text != "slow":
            return truthful(number, text)
        times.append(1)
        return replace(RIGHT, cpu_seconds=seconds) if len(times) == 1 else then

    return script


@pytest.mark.parametrize(
    ("then", "status"),
    [
        (RIGHT, Status.PASSED),
        (stopped_by_processor_time(10.0), Status.TIMEOUT),
        (replace(RIGHT, cpu_seconds=9.9), Status.PASSED),
    ],
)
def test_near_the_limit_the_repeat_alone_decides(then: Outcome, status: Status) -> None:
    world = World(near(9.5, then))
    assert statuses(world, ["right a", "slow", "bad b"]) == [Status.PASSED, status, Status.FAILED]
    assert world.texts(alone=True) == ["good canary", "slow", "good canary"]


def test_the_first_run_has_grace_and_the_repeat_has_the_limit_itself() -> None:
    world = World(near(10.5, RIGHT))
    statuses(world, ["slow"])
    limits = [cpu for _, text, cpu, _ in world.ran if text == "slow"]
    assert limits == [pytest.approx(LIMITS.cpu_seconds * attribution.GRACE), LIMITS.cpu_seconds]


@pytest.mark.parametrize(
    "outcome",
    [
        stopped_by_processor_time(11.0),
        replace(RIGHT, cpu_seconds=8.9),
        Outcome(signal=9, stop=Stop.WALL),
    ],
)
def test_far_from_the_limit_nothing_is_repeated(outcome: Outcome) -> None:
    world = World(lambda number, text: outcome if text == "slow" else truthful(number, text))
    statuses(world, ["slow"])
    assert world.texts(alone=True) == []


def test_a_slow_one_beside_one_that_ends_the_sandbox_keeps_all_its_tries() -> None:
    script = near(9.5, stopped_by_processor_time(10.0))
    killer = ends("killer", "exit 1", "exit 1")
    world = World(lambda n, text: killer(n, text) if text == "killer" else script(n, text))
    found = statuses(world, ["slow", "killer", "right a"])
    assert found == [Status.TIMEOUT, Status.RUNTIME_ERROR, Status.PASSED]
    assert len(world.opened) == 3  # the one that died, its successor, and the one after the killer


def test_an_engine_that_is_away_is_waited_for() -> None:
    world = World(refusals=[EngineAway("away"), EngineAway("away")])
    assert statuses(world, TEXTS) == STATUSES


def test_an_engine_that_stays_away_is_an_error_in_time() -> None:
    world = World(refusals=[EngineAway("away for good")] * 100)
    with pytest.raises(SandboxError, match="away for good"):
        statuses(world, TEXTS, judge_of(world, patience=0.3))


def test_who_is_stopped_runs_nothing_more() -> None:
    world = World()
    with pytest.raises(SandboxError, match="Stopped"):
        statuses(world, TEXTS, judge_of(world, stopped=lambda: True))
    assert world.ran == []


def test_who_is_stopped_meanwhile_gives_up_and_blames_nobody() -> None:
    world = World()

    def script(number: int, text: str) -> Outcome | Exception:
        return gone("exit 137") if text == "right a" else truthful(number, text)

    world.script = script
    with pytest.raises(SandboxError, match="Stopped"):
        statuses(world, TEXTS, judge_of(world, stopped=lambda: "right a" in world.texts()))
    assert world.texts(alone=True) == []


def test_who_is_stopped_while_a_sandbox_starts_runs_nothing_in_it() -> None:
    world = World()
    judge = judge_of(world, stopped=lambda: bool(world.opened))
    with pytest.raises(SandboxError, match="Stopped"):
        statuses(world, TEXTS, judge)
    assert world.ran == []


def test_a_sandbox_is_renewed_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "RENEW_AFTER", 5)
    world = World()
    judge = judge_of(world)
    for _ in range(3):
        assert statuses(world, TEXTS, judge) == STATUSES
    assert len(world.opened) > 2
    assert all(sandbox.runs < 5 + len(TEXTS) + 2 for sandbox in world.opened)
    assert world.left_open == [len(world.opened) - 1]
    judge.close()
    assert world.left_open == []


def test_no_slot_is_held_after_a_batch_however_it_ends() -> None:
    for script in (truthful, lambda *_: WRONG, lambda *_: ValueError("a bug")):
        world = World(script)
        with suppress(SandboxError, ValueError):
            statuses(world, TEXTS)
        assert world.slots.holders == 0


@pytest.mark.parametrize(("seconds", "waits"), [(60.0, 1), (0.0, 22)])
def test_runs_wait_for_a_slot_once_per_stretch(
    monkeypatch: pytest.MonkeyPatch, seconds: float, waits: int
) -> None:
    monkeypatch.setattr(pipeline, "STRETCH_SECONDS", seconds)
    world = World()
    texts = [f"{'bad' if n % 3 else 'right'} {n}" for n in range(20)]
    expected = [Status.FAILED if n % 3 else Status.PASSED for n in range(20)]
    assert statuses(world, texts) == expected
    assert len(world.ran) == 22
    assert world.slots.waits == waits


def test_who_has_to_run_alone_does_not_wait_for_its_own_slot(tmp_path: Path) -> None:
    world = World(lambda _, text: gone("oom") if text == "right bomb" else RIGHT)
    slots = Slots(tmp_path, 1)
    world.slots.holders = 1  # satisfies the scripted sandboxes; the slots here are real ones
    verdicts = Judge(FAMILY, world.open, slots, canaries=()).batch(
        [case("right bomb"), case("right b", 1)]
    )
    assert [v.status for v in verdicts] == [Status.MEMORY_EXCEEDED, Status.PASSED]
    # Without canaries, too.
    assert world.texts() == ["right bomb", "right bomb", "right b"]


def test_other_canaries_than_the_familys_ride_along_where_some_are_given() -> None:
    world = World()
    canaries = [Canary(case("right canary of the project"), True)]
    judge = Judge(FAMILY, world.open, world.slots, canaries=canaries)
    assert [v.status for v in judge.batch([case("right a")])] == [Status.PASSED]
    assert world.texts() == ["right canary of the project", "right a"]


def test_a_family_says_itself_what_is_near_the_limit() -> None:
    slow = stopped_by_processor_time(10.5)
    world = World(lambda n, text: slow if "slow" in text else truthful(n, text))
    family = replace(FAMILY, near=lambda _case, outcome, _limits: outcome.stop is Stop.CPU)
    verdicts = Judge(family, world.open, world.slots).batch([case("right slow")])
    assert [v.status for v in verdicts] == [Status.TIMEOUT]
    assert "right slow" in world.texts(alone=True)
