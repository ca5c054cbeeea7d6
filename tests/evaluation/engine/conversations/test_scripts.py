"""Tests of how families ask models, by the messages sent."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.conversations.scripts import (
    History,
    asked_before,
    asked_in,
    base_text,
    messages,
)
from evaluation.engine.conversations.wording import (
    OURS,
    FunctionTexts,
    Prompts,
    RepositoryTexts,
    user,
)
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_auto.dataset import TASKS
from evaluation.engine.family import Asking, Cue
from evaluation.engine.instructions import (
    BASE_SET,
    EXTENSION,
    MULTI_TURN,
    SETTINGS,
    SINGLE_ROUND,
    TWO_ROUND,
)
from evaluation.engine.records import Json, Task
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_tasks

SAMPLES = Path(__file__).parents[4] / "evaluation" / "engine" / "families"
ASKING = {slug: family.asking for slug, family in FAMILIES.items()}
TASK = Task(
    1,
    {
        "prompt": "Write f.",
        "requirements": {"A": "Heed A.", EXTENSION: "More."},
        "turns": ["A", EXTENSION],
    },
    {},
)
PROMPTS: Json = {
    "function": {"base": "Do: {prompt}", "requirement": "And: {requirement}"},
    "dynamic": {
        "first": "{prompt}",
        "instruction": "{requirement}",
        "feedback": "Not followed: {instruction}",
        "feedback_error": " ({error})",
    },
}


def asking(slug: str) -> Asking:
    found = ASKING[slug]
    assert found is not None
    return found


@pytest.mark.parametrize("slug", ["rucodeeval", "realcode", "realcode_java"])
def test_tasks_that_bring_their_prompts_are_asked_by_these(slug: str) -> None:
    how, path = asking(slug), SAMPLES / slug / "sample" / "tasks.jsonl"
    tasks = how.questions(path) if how.questions else FAMILIES[slug].load_tasks(path, None)
    script = how.script(None, "base", "last")
    for task in tasks:
        (message,) = script.messages(task, None, ())
        given = task.public.get("function") or task.public["left_context"]
        assert given in message["content"]
        assert "{left_context}" not in message["content"]
        assert "{function}" not in message["content"]
    with pytest.raises(BenchmarkError, match="contain their prompts"):
        how.script(PROMPTS, "base", "last")


@pytest.mark.parametrize("slug", ["aixbench_auto", "aixbench_nl"])
def test_sentences_are_asked_for_in_their_own_language(slug: str) -> None:
    how, path = asking(slug), sample_tasks(SAMPLES / slug / "sample")
    tasks = FAMILIES[slug].load_tasks(path, None)
    assert {task.natural_language for task in tasks} == {"en", "zh"}
    for task in tasks:
        (message,) = how.script(None, "base", "last").messages(task, None, ())
        first, _, given = message["content"].partition("\n\n")
        shown = ("raw_nl", "signature") if "signature" in task.public else ("raw_nl",)
        assert given == "\n".join(task.public[name] for name in shown)
        assert first.startswith("Write" if task.natural_language == "en" else "请")


def test_sentences_in_braces_stay_as_they_are() -> None:
    task = Task(1, {"raw_nl": "Prints {raw_nl} {x}."}, {}, natural_language="en")
    prompts: Json = {"en": "Do {x}: {raw_nl}"}
    assert asking("aixbench_nl").script(prompts, "base", "last").messages(task, None, ()) == [
        user("Do {x}: Prints {raw_nl} {x}.")
    ]


def test_a_prompts_file_may_word_one_language_alone() -> None:
    script = asking("aixbench_nl").script({"zh": "{raw_nl}"}, "base", "last")
    english, chinese = (
        Task(1, {"raw_nl": "X"}, {}, natural_language=language) for language in ("en", "zh")
    )
    assert script.messages(english, None, ())[0]["content"].startswith("Write a Java method")
    assert script.messages(chinese, None, ()) == [user("X")]


@pytest.mark.parametrize("prompts", [{}, [], {"ru": "{raw_nl}"}, {"en": "{raw_nl}"}, {"zh": 1}, 0])
def test_a_prompts_file_that_leaves_out_what_is_asked_is_told(prompts: Json) -> None:
    with pytest.raises(BenchmarkError, match="The prompts file is invalid"):
        asking("aixbench_auto").script(prompts, "base", "last")


def test_no_checkout_is_needed_to_ask(tmp_path: Path) -> None:
    questions, checkout = asking("aixbench_auto").questions, SAMPLES / "aixbench_auto/sample"
    tasks = questions(checkout / "checkout" / TASKS)
    assert tasks == questions(checkout / "checkout")
    assert [task.id for task in tasks] == [0, 1, 2, 3, 5, 8, 13, 21]
    assert not any(task.hidden for task in tasks)
    (tmp_path / "tasks.jsonl").write_text('{"task_id": 1}\n{"task_id": 1}\n')
    with pytest.raises(BenchmarkError) as error:
        questions(tmp_path / "tasks.jsonl")
    assert len(error.value.problems) == 2


@pytest.mark.parametrize(
    ("cue", "said"),
    [
        (Cue(None, opening=True), "Write f."),
        (Cue(None), "Write f."),
        (Cue("A"), "Heed A."),
        (Cue("A", retry=True), "Not followed: Heed A."),
        (Cue("A", retry=True, error=" oh\n"), "Not followed: Heed A. (oh)"),
        (Cue(None, opening=True, retry=True, error="oh"), "Not followed: Write f. (oh)"),
    ],
)
def test_a_dialogue_says_instructions_by_themselves(cue: Cue, said: str) -> None:
    talks = asking("codeif_function").talks
    assert talks(PROMPTS).say(TASK, cue) == said
    assert talks(PROMPTS).instructions(TASK) == ("A",)
    assert talks(PROMPTS).test_set(None) == BASE_SET


CONTEXT = "\n  The reference context:\n"
PLAIN = Prompts(
    FunctionTexts("Task: {prompt}", "Also: {requirement}"),
    RepositoryTexts(
        "Write {name}. {Functionality} {Arguments}.",
        "Write {name}. {Functionality} {Arguments}." + CONTEXT + "{context}",
        "Write {name}. {Functionality} {Arguments}."
        + CONTEXT
        + "#own\n{intra_context}\n#others\n{cross_context}",
        "Also: {requirement}",
    ),
)
NAMES = ["A", "Functionality Extension", "B", "C"]
ASKED = {"requirements": {name: f"do {name[0]}" for name in NAMES}, "turns": ["A", *NAMES[1:3]]}
FUNCTION = Task("7", {"prompt": "Add {x}.", **ASKED}, {}, level="L-1")


def in_project(level: str, **contexts: Any) -> Task:
    wanted = {"Functionality": "The reference context {context}.", "Arguments": ":param x:"}
    return Task("pkg.mod.total", {"requirement": wanted, **ASKED, **contexts}, {}, level=level)


def said(found: list[dict[str, str]]) -> list[str]:
    """The messages, each with its role's first letter."""
    return [f"{message['role'][0]} {message['content']}" for message in found]


@pytest.mark.parametrize(
    ("setting", "requirement", "answers", "history", "expected"),
    [
        (MULTI_TURN, None, "", History.LAST, ["u Task: Add {x}."]),
        (SINGLE_ROUND, "C", "", History.LAST, ["u Task: Add {x}.. Also: do C"]),
        (TWO_ROUND, "C", "0", History.LAST, ["u Task: Add {x}.", "a 0", "u Also: do C"]),
        (
            *(MULTI_TURN, "B", "012", History.LAST),
            ["u Task: Add {x}.Also: do Ado F", "a 2", "u Also: do B"],
        ),
        (
            *(MULTI_TURN, "B", "012", History.FULL),
            ["u Task: Add {x}.", "a 0", "u Also: do A", "a 1", "u Also: do F", "a 2"]
            + ["u Also: do B"],
        ),
    ],
)
def test_a_setting_decides_what_is_said_before_a_requirement(
    setting: str, requirement: str | None, answers: str, history: History, expected: list[str]
) -> None:
    found = messages(FUNCTION, setting, PLAIN, requirement, [*answers], history)
    assert said(found) == expected


def test_a_function_of_a_project_is_asked_for_by_its_name() -> None:
    task = in_project("L-1")
    base = "Write total. The reference context {context}. :param x:."
    assert base_text(task, PLAIN) == base
    found = messages(task, SINGLE_ROUND, PLAIN, "A")
    assert said(found) == [f"u {base} Also: do A"]


def test_in_a_project_a_single_round_requirement_stands_before_the_context() -> None:
    task = in_project("L-2", context="class {name}: ...")
    head = "Write total. The reference context {context}. :param x:."
    shown = CONTEXT + "class {name}: ..."
    assert base_text(task, PLAIN) == head + shown
    assert said(messages(task, SINGLE_ROUND, PLAIN, "A")) == [f"u {head} Also: do A{shown}"]


def test_a_task_without_the_context_that_its_prompt_shows_is_the_datasets_fault() -> None:
    with pytest.raises(BenchmarkError, match=r"Task pkg.mod.total lacks its context"):
        base_text(in_project("L-2"), PLAIN)


@pytest.mark.parametrize("level", ["L-1", "L-2", "L-3"])
def test_our_own_wording_asks_for_everything_that_a_task_says(level: str) -> None:
    task = in_project(level, context="CTX", intra_context="OWN", cross_context="OTHERS")
    (found,) = messages(task, SINGLE_ROUND, OURS, "A")
    shown = {"L-1": [], "L-2": ["CTX"], "L-3": ["OWN", "OTHERS"]}[level]
    parts = ["'total'", "{context}", ":param x:", "do A", *shown]
    places = [found["content"].index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("setting", "requirement", "answers"),
    [
        (TWO_ROUND, "A", []),
        (SINGLE_ROUND, "A", ["x"]),
        (MULTI_TURN, "B", ["x"]),
        (MULTI_TURN, "C", ["x"]),  # it has no turn
        ("dynamic", "A", ["x"]),
    ],
)
def test_what_is_not_asked_for_in_a_setting_is_refused(
    setting: str, requirement: str, answers: list[str]
) -> None:
    with pytest.raises(ValueError, match="answers before|is not asked for|is no setting"):
        messages(FUNCTION, setting, PLAIN, requirement, answers)


def test_what_has_no_turn_is_not_asked_for_in_many_turns() -> None:
    assert asked_in(FUNCTION, MULTI_TURN) == ("A", "Functionality Extension", "B")
    assert asked_in(FUNCTION, TWO_ROUND) == tuple(NAMES)


@given(st.sampled_from(SETTINGS), st.sampled_from(History), st.data())
def test_messages_take_turns_and_end_with_the_question(
    setting: str, history: History, data: st.DataObject
) -> None:
    requirement = data.draw(st.sampled_from([None, *asked_in(FUNCTION, setting)]))
    before = len(asked_before(FUNCTION, setting, requirement))
    answers = data.draw(st.lists(st.text(), min_size=before, max_size=before))
    found = messages(FUNCTION, setting, PLAIN, requirement, answers, history)
    roles = [message["role"] for message in found]
    assert roles == ["user", "assistant"] * (len(found) // 2) + ["user"]
    shown = [message["content"] for message in found if message["role"] == "assistant"]
    assert shown == (answers if history is History.FULL else answers[-1:])
