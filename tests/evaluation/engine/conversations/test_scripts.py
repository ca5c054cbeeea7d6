"""Tests of how families ask models, by the messages sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.engine.conversations.filling import user
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_auto.dataset import TASKS
from evaluation.engine.family import Asking, Cue, Sampling
from evaluation.engine.instructions import BASE_SET, EXTENSION
from evaluation.engine.records import Json, Task
from evaluation.engine.registry import FAMILIES

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


def test_the_published_sampling_of_each_family() -> None:
    assert {slug: asking(slug).sampling for slug in ASKING} == {
        "rucodeeval": Sampling(samples=10, temperature=0.0),
        "realcode": Sampling(temperature=0.7, top_p=0.8, repetition_penalty=1.05),
        "realcode_java": Sampling(
            temperature=0.7, top_p=0.8, repetition_penalty=1.05, max_tokens=4096
        ),
        "aixbench_auto": Sampling(temperature=0.0),
        "aixbench_nl": Sampling(temperature=0.0),
        "codeif_function": Sampling(temperature=0.0, top_p=1.0),
        "codeif_repository": Sampling(temperature=0.0, top_p=1.0),
    }


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


def test_braces_of_java_prompts_are_left_alone() -> None:
    how = asking("realcode_java")
    (task, *_) = FAMILIES["realcode_java"].load_tasks(
        SAMPLES / "realcode_java" / "sample" / "tasks.jsonl", None
    )
    (message,) = how.script(None, "base", "last").messages(task, None, ())
    assert "{до закрывающей скобки}" in message["content"]


def test_questions_hold_nothing_that_is_expected() -> None:
    questions = asking("rucodeeval").questions
    assert questions is not None
    tasks = questions(SAMPLES / "rucodeeval" / "sample" / "tasks.jsonl")
    assert [dict(task.hidden) for task in tasks] == [{}] * 12


def test_a_prompts_file_words_what_is_said() -> None:
    script = asking("codeif_function").script(PROMPTS, "two_round", "last")
    assert script.messages(TASK, "A", ["code"]) == [
        user("Do: Write f."),
        {"role": "assistant", "content": "code"},
        user("And: Heed A."),
    ]


AIX = {"aixbench_auto": "checkout", "aixbench_nl": "tasks.jsonl"}


@pytest.mark.parametrize("slug", sorted(AIX))
def test_sentences_are_asked_for_in_their_own_language(slug: str) -> None:
    how, path = asking(slug), SAMPLES / slug / "sample" / AIX[slug]
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
    assert questions is not None
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
    assert talks is not None
    assert talks(PROMPTS).say(TASK, cue) == said
    assert talks(PROMPTS).instructions(TASK) == ("A",)
    assert talks(PROMPTS).test_set(None) == BASE_SET
