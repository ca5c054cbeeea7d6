"""What the engine says is known again and translated, whatever stands in it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils.translation import override
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import engine, jobs
from evaluation.engine import pipeline
from evaluation.engine.conversations.replay import Departure, Kind
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Slot, Task, TaskResult
from evaluation.engine.sandbox import docker, fresh, session
from evaluation.engine.uploads import (
    Bounds,
    SlotIndex,
    UploadReport,
    check,
    decode,
    formats,
    header,
    intake,
    layout,
    reading,
    source,
    splitter,
)
from evaluation.engine.uploads.layout import Layout
from evaluation.work import reconciling
from leaderboard.engine_texts import PARTS, PLACE, SENTENCES, in_readers_language
from tests.evaluation.engine.uploads import test_problems, test_source, test_transcripts

CODES = ("ru", "zh-hans")
# What the code puts into its sentences, by module and expression; anything else is a seven.
VALUES: dict[tuple[str, str], tuple[str, ...]] = {
    ("intake", "where"): ("task", "task and requirement"),
    ("formats", "where"): ("meta.id", "doc.meta.id"),
    ("source", "wanted"): ("one of them", "the file of this benchmark like real.json"),
    ("splitter", "where"): (
        "inside a string",
        "inside a value",
        "before its last bracket is closed",
    ),
}
# What is raised where the machinery failed, with the sentence as its last argument.
MACHINERY = ("SandboxError", "SandboxGone", "EngineAway", "DebootstrapMissing")
ENGINE = [
    SimpleNamespace(__name__=path.stem, __file__=str(path))
    for path in Path(engine.__file__).parent.rglob("*.py")
]
# Whatever separates values in a sentence has a letter or a blank: these have neither.
ODD = st.lists(
    st.sampled_from(["%", "%(", ")s", "\n", "'", '"', "`", "\\", "{", "}", "ж", "题", "7"])
)
ODD_VALUES = ODD.map("".join)

every_language = pytest.mark.parametrize("code", CODES)


def left_in_english(sentences: Sequence[str], code: str) -> list[str]:
    with override(code):
        return [one for one in sentences if in_readers_language(one) == one]


# --- What the engine says -----------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[UploadReport]:
    """On the files that the engine's own tests find wrong."""
    path = tmp_path_factory.mktemp("uploads") / "upload"
    found = []
    for content, index, bounds, family in corpus():
        path.write_bytes(content)
        found.append(check(path, index, bounds, family=family))
    return found


def corpus() -> Iterator[tuple[bytes, SlotIndex, Bounds, str]]:
    plain = SlotIndex.of([Task(name, {}, {}) for name in (1, 2, 3, "a.b")], lambda _: [Slot()])
    slots = [Slot("A", 1), Slot("B", 2), Slot("C", 3, required=False)]
    parted = SlotIndex.of([Task(name, {}, {}) for name in (1, 2)], lambda _: slots)
    small = test_problems.SMALL
    good = test_problems.GOOD.encode()
    for line, *_rest in test_problems.BAD_LINES:
        yield good + line + b"\n" + good, plain, small, ""
        yield line, plain, Bounds(), ""
        yield line.replace(b'"task_id"', b'"requirement": "D", "task_id"'), parted, small, ""
        yield (
            b'{"task_id": 1, "requirement": "A", "outputs": ["x"]}\n' * 2 + line,
            parted,
            small,
            "",
        )
    for talk, _words in cases(
        test_transcripts.test_what_cannot_be_right_is_told_with_line_and_task
    ):
        content = test_transcripts.lines(test_transcripts.one(talk))
        yield content, test_transcripts.INDEX, Bounds(), ""
    yield test_transcripts.lines(test_transcripts.one()), test_transcripts.INDEX, Bounds(), ""
    for content, _words in cases(
        test_problems.test_a_file_that_cannot_be_read_at_all_is_one_problem
    ):
        yield content, plain, small, ""
    for row, _words in cases(
        test_problems.test_a_bad_record_of_a_pretty_document_is_named_by_its_first_line
    ):
        rows = [{"outputs": "x", "meta": {"id": 1}}, row]
        yield json.dumps({"data": {"test": rows}}).encode(), plain, small, ""
    for resps, _words in cases(test_problems.test_bad_harness_responses_are_said):
        yield json.dumps({"doc": {"meta": {"id": 1}}, "resps": resps}).encode(), plain, small, ""
    for end in cases(test_problems.test_a_document_that_does_not_end_well_is_a_problem):
        start = '{"data": {"test": [\n{"outputs": "x", "meta": {"id": 1}}\n'
        yield (start + end).encode(), plain, small, ""
    for members, family, _words in cases(test_source.test_a_zip_must_say_which_file_is_meant):
        yield test_source.zipped(members), plain, Bounds(members=5), family
    for raw in cases(test_source.test_other_packers_are_named):
        yield raw, plain, small, ""
    for method in cases(test_source.test_rare_compression_in_a_zip_is_refused):
        yield test_source.zipped({"a": good}, method), plain, small, ""
    yield test_source.zipped({"a": good})[:-9], plain, small, ""


def cases(test: Any) -> list[Any]:
    """What a test of the engine is run with."""
    return list(test.pytestmark[0].args[1])


@every_language
def test_every_problem_of_the_engine_s_own_corpus_is_translated(
    reports: list[UploadReport], code: str
) -> None:
    said = {problem.sentence for report in reports for problem in report.problems}
    assert len(said) > 60
    assert left_in_english(sorted(said), code) == []


@every_language
def test_warnings_and_what_was_recognised_are_translated(
    reports: list[UploadReport], code: str
) -> None:
    said = {warning for report in reports for warning in report.warnings}
    words = {report.format_words for report in reports if report.format_words}
    assert (len(said) > 5, len(words)) == (True, 4)
    assert left_in_english(sorted(said | words), code) == []


@every_language
def test_every_format_in_every_layout_has_its_words(code: str) -> None:
    by_record = (formats.PLAIN, formats.HARNESS, formats.TRANSCRIPTS)
    lines = product(by_record, (Layout.LINES, Layout.ARRAY))
    said = [
        f"{form.words} ({layout.value})"
        for form, layout in (*lines, (formats.MERA, Layout.DOCUMENT))
    ]
    assert left_in_english(said, code) == []


@every_language
def test_how_transcripts_depart_from_the_rules_is_translated(code: str) -> None:
    said = [str(Departure(3, kind, "Base", "Code Standard")) for kind in Kind]
    assert left_in_english(said, code) == []


@every_language
def test_why_a_score_is_missing_is_translated(code: str) -> None:
    task = Task(1, {}, {})
    results = [TaskResult(1, "pass", 4, 1, open=1)]
    found = scores(results, [task], (1, 5), ())
    found += scores([replace(results[0], overall=False)], [task], (1,), ())
    notes = [score.note for score in found]
    assert (len(notes), left_in_english(notes, code)) == (3, [])


@pytest.mark.parametrize(
    "module",
    [
        decode,
        formats,
        header,
        intake,
        layout,
        reading,
        source,
        splitter,
        session,
        docker,
        fresh,
        pipeline,
    ],
    ids=lambda module: module.__name__.rpartition(".")[2],
)
def test_every_sentence_in_the_engine_s_code_is_translated(module: Any) -> None:
    said = [one for node in literals(module) for one in spoken(node, module)]
    assert said
    assert set(left_in_english(said, "ru")) <= set(PARTS["advice"])


def test_every_cause_that_is_stored_is_translated() -> None:
    texts = [
        node.args[0].value
        for module in (jobs, reconciling)
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_"
        if isinstance(node.args[0], ast.Constant)
    ]
    assert len(texts) == 3
    assert left_in_english([PLACE.sub("ValueError", str(text)) for text in texts], "ru") == []


@every_language
def test_every_failure_of_the_machinery_is_translated(code: str) -> None:
    said = [
        one
        for module in ENGINE
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in MACHINERY
        for text in node.args[-1:]
        if isinstance(text, ast.Constant | ast.JoinedStr)
        for one in spoken(text, module)
    ]
    assert len(said) > 30
    assert left_in_english(said, code) == []


def test_what_docker_did_not_do_is_translated() -> None:
    doing = {one for module in ENGINE for text in doings(module) for one in spoken(text, module)}
    assert doing == {PLACE.sub("7", text) for text in PARTS["doing"]}
    with override("ru"):
        said = in_readers_language(f"{PARTS['doing'][0]}: Docker did not do it (no route to host).")
    assert said == "обращение к Docker: у Docker не получилось (no route to host)."


def doings(module: Any) -> Iterator[ast.Constant | ast.JoinedStr]:
    """What a module tells Docker's errors that it was doing."""
    for node in ast.walk(parsed(module)):
        told: ast.expr | None = None
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("engine_errors"):
            told = node.args[0]
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "doing":
            told = node.value
        if isinstance(told, ast.Constant | ast.JoinedStr):
            yield told


def parsed(module: Any) -> ast.Module:
    return ast.parse(Path(module.__file__).read_text("utf-8"))


def literals(module: Any) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The texts of a module that are whole sentences, not part of one and no docstring."""
    nodes = list(ast.walk(parsed(module)))
    outer = [node for node in nodes if isinstance(node, ast.Expr | ast.JoinedStr)]
    inner = {id(part) for node in outer for part in ast.iter_child_nodes(node)}
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inner:
            text = spoken(node, module)[0]
            begins = text[:1].isupper() or text[:1] in tuple("`7")
            if begins and len(text.split()) > 3 and text.endswith((".", "7")):
                yield node


def spoken(node: ast.Constant | ast.JoinedStr, module: Any) -> list[str]:
    """The text in each way of filling it that VALUES knows."""
    name = module.__name__.rpartition(".")[2]
    if isinstance(node, ast.Constant):
        return [node.value if isinstance(node.value, str) else ""]
    ways = [
        VALUES.get((name, ast.unparse(part.value)), ("7",))
        if isinstance(part, ast.FormattedValue)
        else (str(part.value),)
        for part in node.values
        if isinstance(part, ast.FormattedValue | ast.Constant)
    ]
    return ["".join(way) for way in product(*ways)]


# --- What stands in it --------------------------------------------------------------------


@settings(deadline=None)
@given(st.sampled_from(SENTENCES), st.lists(ODD_VALUES, min_size=4, max_size=4))
def test_odd_values_come_through_unchanged(text: str, values: list[str]) -> None:
    given_values = dict(zip(PLACE.findall(text), values, strict=False))
    said = text % given_values
    for code in CODES:
        with override(code):
            shown = in_readers_language(said)
        assert shown != said
        assert all(value in shown for value in given_values.values())


@settings(deadline=None)
@given(st.sampled_from(SENTENCES), st.lists(st.text(max_size=20), min_size=4, max_size=4))
def test_english_readers_get_the_engine_s_very_words(text: str, values: list[str]) -> None:
    said = text % dict(zip(PLACE.findall(text), values, strict=False))
    with override("en"):
        assert in_readers_language(said) == said


@given(st.text())
def test_what_nobody_knows_stays_as_it_is(said: str) -> None:
    with override("ru"):
        assert in_readers_language(said) == said


def test_what_is_made_to_take_long_is_left_as_it_is() -> None:
    said = "There are from " + " to  generations in a place: k is limited to " * 3000
    with override("ru"):
        assert in_readers_language(said) == said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "The task has no requirement 50 %s in this setting. It has A, B and C: name one of "
            "these, or leave the record out.",
            "В этом режиме у задачи нет требования 50 %s. Есть такие: A, B и C. Назовите одно из "
            "них или уберите запись.",
        ),
        (
            "This is not valid JSON: Expecting value at character 1,024 of the record. Write the "
            "file with a JSON library.",
            "Это не JSON: ожидается значение, символ 1,024 записи. Записывайте файл с помощью "
            "библиотеки JSON.",
        ),
        (
            "This failed on our side, not because of the file. Upload it again later. The site has "
            "a fault (KeyError).",
            "Сбой произошёл на нашей стороне, файл ни при чём. Загрузите его ещё раз позже. На "
            "сайте сбой (KeyError).",
        ),
        (
            "']' stands where `,` or `}` should.",
            "Встретилось ']' там, где ожидается `,` или `}`.",
        ),
    ],
)
def test_words_within_a_sentence_are_translated_too(said: str, shown: str) -> None:
    with override("ru"):
        assert in_readers_language(said) == shown
