"""Tests of a family's transcripts: read without verdicts, checked against the rules with verdicts,
and scored."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evaluation.engine import instructions
from evaluation.engine.conversations.dialogue import Row
from evaluation.engine.conversations.transcripts import transcripts
from evaluation.engine.conversations.wording import OURS, DynamicTexts, wording_of
from evaluation.engine.family import Held, Turn
from evaluation.engine.instructions import EXTENSION
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Integrity, Key, Score, Status, Task, Verdict
from tests.evaluation.engine.conversations.simulated import (
    LONGEST_ERROR,
    TEXTS,
    Model,
    Said,
    models,
    published,
    simulate,
    spoken,
)
from tests.support.wordings import WORDING

THEIRS = wording_of(WORDING).dynamic
OURS_TAKEN = transcripts(LONGEST_ERROR)
THEIRS_TAKEN = OURS_TAKEN.worded(WORDING)
EXTENDED = "It can add up numbers of any base."
METRICS = ("IA", "CA", "IFR", "IFE")


def task(instructions: Sequence[str], number: int = 1) -> Task:
    sentences = {name: TEXTS[name] for name in instructions}
    return Task(
        number,
        {
            "prompt": TEXTS[None],
            "requirements": {**sentences, EXTENSION: EXTENDED},
            "turns": [*instructions, EXTENSION],
        },
        {},
    )


def verdicts(task: Task, rows: Sequence[Row]) -> Iterator[Verdict]:
    for turn, row in enumerate(rows, 1):
        for name, passed in row.items():
            status = Status.PASSED if passed else Status.FAILED
            yield Verdict(Key(task.id, 0, None, turn), status, instructions.test_set_of(name))


def asked(task: Task, turns: Sequence[Turn]) -> dict[Key, str]:
    return {Key(task.id, 0, None, n): turn.asked for n, turn in enumerate(turns, 1)}


def held(task: Task, turns: Sequence[Turn], found: Sequence[Verdict]) -> Held:
    return OURS_TAKEN.held([task], asked(task, turns), found)


def of_rows(instructions: list[str], rows: list[Row]) -> tuple[Task, list[Turn], list[Row]]:
    """An honest conversation with a model whose code passes the rows."""
    said = simulate(instructions, rows)
    return task(instructions), spoken(said), rows[: len(said)]


def row(passed: str, names: str = "0AB") -> Row:
    return {None if name == "0" else name: name in passed for name in names}


# --- Held against the rules ---------------------------------------------------------------


@given(models(), st.text(max_size=LONGEST_ERROR))
def test_an_honest_transcript_is_taken_with_the_numbers_of_its_turns(
    model: Model, error: str
) -> None:
    said, about = simulate(*model), task(model[0])
    turns = spoken(said, error=error)
    assert OURS_TAKEN.misfit(about, turns) == ""
    found = held(about, turns, [*verdicts(about, model[1][: len(said)])])
    assert not found.departures
    told = {(result.metric, result.turn): result.value for result in found.results}
    for turn, one in enumerate(said, 1):
        for name in METRICS:
            assert told.pop((name, turn)) == pytest.approx(getattr(one, name.lower()))
    assert not told


def _feedback(said: Said, wording: DynamicTexts = OURS.dynamic, error: str = "oh") -> str:
    return wording.feedback_on(TEXTS[said.name], error)


OTHER = replace(OURS.dynamic, feedback="Nearly! Look again: {instruction}")
# The turns, by their index, whose message is exchanged, and the message that no verdict can make
# right.
FORGERIES: dict[str, tuple[Callable[[int, Said], bool], Callable[[str, Said], str]]] = {
    "extension": (lambda at, _: at > 0, lambda *_: EXTENDED),
    "hint in the prompt": (lambda at, _: at == 0, lambda asked, _: f"{asked} Mind empty lists."),
    "hint in an instruction": (
        lambda at, said: at > 0 and not said.retry,
        lambda asked, _: f"{asked} Take care of the base as well.",
    ),
    "hint in feedback": (lambda _, said: said.retry, lambda asked, _: f"{asked}Use a loop."),
    "long error": (
        lambda _, said: said.retry,
        lambda _, said: _feedback(said, error="hint" * LONGEST_ERROR),
    ),
    "other wording": (lambda _, said: said.retry, lambda _, said: _feedback(said, OTHER)),
}


@pytest.mark.parametrize(("where", "forged"), FORGERIES.values(), ids=FORGERIES.keys())
@given(models(), st.data())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_a_forged_message_is_refused_and_its_turn_is_named(
    where: Callable[[int, Said], bool],
    forged: Callable[[str, Said], str],
    model: Model,
    data: st.DataObject,
) -> None:
    said, about = simulate(*model), task(model[0])
    turns = spoken(said)
    places = [at for at, one in enumerate(said) if where(at, one)]
    assume(places)
    at = data.draw(st.sampled_from(places))
    turns[at] = turns[at]._replace(asked=forged(turns[at].asked, said[at]))
    for taken in (OURS_TAKEN, THEIRS_TAKEN):
        judged = [*verdicts(about, model[1][: len(said)])]
        found = taken.held([about], asked(about, turns), judged)
        assert f"Turn {at + 1} " in found.departures[about.id]
        assert not found.results
        assert f"Turn {at + 1} " in taken.misfit(about, turns)


def test_each_task_s_transcript_is_held_against_the_rules_by_itself() -> None:
    good, bad = task(["A"], 1), task(["A"], 2)
    turns = [Turn(TEXTS[None], "")]
    found = OURS_TAKEN.held(
        [good, bad],
        asked(good, turns) | asked(bad, turns),
        [*verdicts(good, [row("0A", "0A")]), *verdicts(bad, [row("0", "0A")])],
    )
    assert found.departures == {2: "Turn 2 is missing: by our verdicts, A is next."}
    assert {result.task_id for result in found.results} == {1}


# --- What is not judged, or doubted -------------------------------------------------------


def lost(one: Verdict) -> Verdict:
    return replace(one, status=Status.NOT_RUN)


def suspect(one: Verdict) -> Verdict:
    return replace(one, status=Status.PASSED, integrity=Integrity.SUSPECT)


@given(models(), st.data())
def test_what_the_machinery_lost_never_refuses_an_honest_transcript(
    model: Model, data: st.DataObject
) -> None:
    task, turns, rows = of_rows(*model)
    found = [*verdicts(task, rows)]
    gone = data.draw(st.sets(st.integers(0, len(found) - 1)))
    kept = [lost(one) if n in gone else one for n, one in enumerate(found)]
    assert not held(task, turns, kept).departures
    missing = [one for n, one in enumerate(found) if n not in gone]
    assert held(task, turns, missing) == held(task, turns, kept)


def test_a_turn_whose_numbers_hang_on_what_was_lost_is_open() -> None:
    about, turns, rows = of_rows(["A", "B"], [row("0"), row("0A"), row("0AB")] * 2)
    found = [*verdicts(about, rows)]
    of_a = Key(about.id, 0, None, 2)
    kept = [lost(one) if (one.key, one.test_set) == (of_a, "A") else one for one in found]
    open_turns = {r.turn for r in held(about, turns, kept).results if r.open}
    assert open_turns == {2}
    found = held(about, turns, kept)
    assert {score.value for score in scored(found)} == {None}
    assert {score.bounds for score in scored(found) if score.metric == "CA"} == {(3 / 4, 1.0)}


def test_what_was_lost_does_not_excuse_what_is_wrong_whatever_it_was() -> None:
    turns = [Turn(TEXTS[name], "") for name in (None, "B")]
    about = task(["A", "B"])
    found = [*verdicts(about, [row("0"), row("0AB")])]
    kept = [lost(one) if one.test_set == "B" else one for one in found]
    told = held(about, turns, kept).departures[about.id]
    assert told == "Turn 2 asks for B, but by our verdicts A is next."


@pytest.mark.parametrize("integrity", [Integrity.SUSPECT, Integrity.CLEARED, Integrity.CONFIRMED])
@pytest.mark.parametrize("said", [(None, "A"), (None, "B")])
def test_a_pass_that_was_doubted_may_have_been_believed_or_not(
    integrity: Integrity, said: tuple[str | None, ...]
) -> None:
    rows = [row("0A"), row("0AB")]
    turns = [Turn(TEXTS[name], "") for name in said]
    about = task(["A", "B"])
    found = [
        replace(one, integrity=integrity) if (one.key.turn, one.test_set) == (1, "A") else one
        for one in verdicts(about, rows)
    ]
    assert not held(about, turns, found).departures


def test_a_suspect_pass_counts_as_none_and_is_open() -> None:
    about, turns = task(["A"]), [Turn(TEXTS[None], ""), Turn(TEXTS["A"], "")]
    found = [*verdicts(about, [row("0", "0A"), row("0", "0A")])]
    kept = [suspect(one) if (one.key.turn, one.test_set) == (2, "A") else one for one in found]
    results = {r.metric: r for r in held(about, turns, kept).results if r.turn == 2}
    assert (results["IA"].value, results["IA"].open) == (0.0, 1)


# --- Without verdicts ---------------------------------------------------------------------


def test_an_unsound_instruction_is_none_of_the_task_s_messages() -> None:
    about = task(["A", "B"])
    idle = replace(about, public={**about.public, "unsound": {"A": "it cannot pass"}})
    turns = [Turn(TEXTS[None], ""), Turn(TEXTS["A"], "")]
    assert OURS_TAKEN.misfit(idle, turns) == "Turn 2 is not one of the task's messages."
    assert OURS_TAKEN.misfit(about, turns) == ""
    honest = [Turn(TEXTS[None], ""), Turn(TEXTS["B"], "")]
    found = [*verdicts(idle, [row("0", "0B"), row("0B", "0B")])]
    assert not held(idle, honest, found).departures


# --- Numbers ------------------------------------------------------------------------------


def scored(found: Held, tasks: Sequence[Task] = (), *slices: str) -> list[Score]:
    tasks = tasks or [Task(result.task_id, {}, {}) for result in found.results]
    return scores(found.results, tasks, (1,), slices, OURS_TAKEN.metrics)


@given(st.lists(models(), min_size=1, max_size=5))
def test_the_scores_are_the_published_ones(several: list[Model]) -> None:
    tasks, every, found = [], dict[Key, str](), list[Verdict]()
    for number, (names, rows) in enumerate(several):
        about = task(names, number)
        said = simulate(names, rows)
        tasks.append(about)
        every |= asked(about, spoken(said))
        found += verdicts(about, rows[: len(said)])
    computed = scored(OURS_TAKEN.held(tasks, every, found), tasks)
    said = [simulate(*model) for model in several]
    expected = [
        published([[getattr(one, name.lower()) for one in talk] for talk in said])
        for name in METRICS
    ]
    by_name = {score.metric: score.value for score in computed}
    assert [by_name[name] for name in METRICS] == pytest.approx(expected, abs=1e-12)


def test_a_task_without_a_transcript_counts_as_one_in_which_nothing_was_passed() -> None:
    about = task(["A"])
    found = OURS_TAKEN.held([about], {}, [])
    assert not found.departures
    wrong = simulate(["A"], [row("", "0A")] * 4)
    assert len(found.results) == len(METRICS) * len(wrong)
    assert {result.value for result in found.results} == {0.0}
    assert not any(result.open for result in found.results)


# --- A wording of the revision's own ------------------------------------------------------


@given(models())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_a_revision_s_wording_is_taken_beside_ours(model: Model) -> None:
    said, about = simulate(*model), task(model[0])
    found = [*verdicts(about, model[1][: len(said)])]
    for wording in (THEIRS, OURS.dynamic):
        turns = [turn._replace(asked=f"\n{turn.asked} ") for turn in spoken(said, wording)]
        assert THEIRS_TAKEN.misfit(about, turns) == ""
        assert not THEIRS_TAKEN.held([about], asked(about, turns), found).departures


def test_a_conversation_keeps_to_one_wording() -> None:
    turns = [
        Turn(TEXTS[None], ""),
        Turn(THEIRS.feedback_on(TEXTS[None], "oh"), ""),
        Turn(TEXTS["A"], ""),
        Turn(OURS.dynamic.feedback_on(TEXTS["A"], "oh"), ""),
    ]
    assert THEIRS_TAKEN.misfit(task(["A"]), turns) == "Turn 4 is not one of the task's messages."
