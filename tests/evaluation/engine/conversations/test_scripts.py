"""How families ask models, told by what is said to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.engine.conversations.filling import user
from evaluation.engine.errors import BenchmarkError
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
    with pytest.raises(BenchmarkError, match="bring their prompts along"):
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


@pytest.mark.parametrize("prompts", [{}, [], {"function": {"base": "no place"}}, "text", 0])
def test_what_is_no_prompts_file_is_told(prompts: Json) -> None:
    with pytest.raises(BenchmarkError, match="The prompts file is none"):
        asking("codeif_function").script(prompts, "base", "last")


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
