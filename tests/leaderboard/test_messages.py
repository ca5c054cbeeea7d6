"""Tests of sentences with codes: all are translated, and stored ones are shown in the reader's
language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import gettext, override
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluation
import leaderboard
from evaluation.engine.conversations.replay import Departure, Kind
from evaluation.engine.errors import UploadError
from evaluation.engine.metrics.summary import scores
from evaluation.engine.records import Slot, Task, TaskResult
from evaluation.engine.sandbox import texts as sandbox_texts
from evaluation.engine.texts import Message, Text
from evaluation.engine.uploads import Bounds, SlotIndex, UploadReport, check, formats
from evaluation.engine.uploads import texts as upload_texts
from leaderboard import messages
from leaderboard.messages import FAILED_HERE, FAULT, TEXTS, MessageField, in_readers_language
from leaderboard.submissions import intake
from leaderboard.submissions.models import UploadState
from leaderboard.text import storable
from tests.evaluation.engine.uploads import test_problems, test_source, test_transcripts
from tests.leaderboard.pages.submissions.visits import received
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database

CODES = ("ru", "zh-hans")
PLACE = re.compile(r"%\((\w+)\)([sd])")
# A separator of values in a sentence has a Latin letter or a blank; these have neither.
ODD = st.lists(
    st.sampled_from(["%", "%(", ")s", "\n", "'", '"', "`", "\\", "{", "}", "ж", "题", "7"])
)
ODD_VALUES = ODD.map("".join)

every_language = pytest.mark.parametrize("code", CODES)


def left_in_english(sentences: Sequence[str], code: str) -> list[str]:
    """The sentences that stay in English, including texts that are no messages."""
    with override(code):
        return [one for one in sentences if in_readers_language(one) == one]


def filled(text: Text, values: Sequence[str]) -> Message:
    """The message with odd values in places for words, and numbers in places for numbers."""
    params = {
        name: value if kind == "s" else len(value)
        for (name, kind), value in zip(PLACE.findall(text.template), values, strict=False)
    }
    return text(**params)


# --- What the engine says -----------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[UploadReport]:
    """Reports on the files that the engine's own tests find wrong."""
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
    """The arguments of a parametrised test of the engine."""
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
def test_every_format_has_its_words_in_every_layout(code: str) -> None:
    forms = (formats.MERA, formats.HARNESS, formats.PLAIN, formats.TRANSCRIPTS)
    said = [text() for form in forms for text in form.words.values()]
    assert (len(said), left_in_english(said, code)) == (7, [])


@every_language
def test_how_transcripts_depart_from_the_rules_is_translated(code: str) -> None:
    said = [Departure(3, kind, "Base", "Code Standard").message for kind in Kind]
    assert left_in_english(said, code) == []


@every_language
def test_why_a_score_is_missing_is_translated(code: str) -> None:
    task = Task(1, {}, {})
    results = [TaskResult(1, "pass", 4, 1, open=1)]
    found = scores(results, [task], (1, 5), ())
    found += scores([replace(results[0], overall=False)], [task], (1,), ())
    notes = [score.note for score in found]
    assert (len(notes), left_in_english(notes, code)) == (3, [])


# --- Every text ---------------------------------------------------------------------------


@every_language
def test_every_template_is_translated_with_its_places(code: str) -> None:
    with override(code):
        shown = {
            text: in_readers_language(filled(text, ["7", "8", "9", "10"]))
            for text in TEXTS.values()
        }
        same = {text.code for text in shown if gettext(text.template) == text.template}
    assert len(shown) > 180
    assert [text.code for text, said in shown.items() if "%(" in said or not said] == []
    assert same <= {"uploads.mebibytes"}  # a unit


@settings(deadline=None)
@given(st.sampled_from(list(TEXTS.values())), st.lists(ODD_VALUES, min_size=4, max_size=4))
def test_odd_values_come_through_unchanged(text: Text, values: list[str]) -> None:
    said = filled(text, values)
    for code in CODES:
        with override(code):
            shown = in_readers_language(said)
        assert all(value in shown for value in said.params.values() if isinstance(value, str))


@settings(deadline=None)
@given(
    st.sampled_from(list(TEXTS.values())), st.lists(st.text(max_size=20), min_size=4, max_size=4)
)
def test_english_readers_get_the_very_words(text: Text, values: list[str]) -> None:
    said = filled(text, values)
    with override("en"):
        assert in_readers_language(said) == storable(said)


@given(st.text())
def test_what_has_no_code_stays_as_it_is(said: str) -> None:
    with override("ru"):
        assert in_readers_language(said) == storable(said)


@pytest.mark.parametrize(
    ("said", "english", "shown"),
    [
        (
            upload_texts.REQUIREMENT_UNKNOWN(
                requirement="50 %s", names=upload_texts.NAMES_AND(first="A, B", last="C")
            ),
            "The task has no requirement 50 %s in this setting. It has A, B and C: name one of "
            "these, or leave the record out.",
            "В этом режиме у задачи нет требования 50 %s. Есть такие: A, B и C. Укажите одно из "
            "них или уберите запись.",
        ),
        (
            upload_texts.NOT_JSON(fault=upload_texts.JSON_VALUE(), position="1,024"),
            "This is not valid JSON: Expecting value at character 1,024 of the record. Write the "
            "file with a JSON library.",
            "Это не JSON: ожидается значение, символ 1,024 записи. Записывайте файл с помощью "
            "библиотеки JSON.",
        ),
        (
            FAILED_HERE(cause=FAULT(kind="KeyError")),
            "This failed on our side, not because of the file. Upload it again later. Internal "
            "error (KeyError). If it happens again, tell the site's staff.",
            "Сбой произошёл на нашей стороне, файл ни при чём. Загрузите его ещё раз позже. "
            "Внутренняя ошибка (KeyError). Если она повторится, сообщите администраторам сайта.",
        ),
        (
            upload_texts.UNEXPECTED(
                found="']'", wanted=upload_texts.WANTED_EITHER(one="`,`", other="`}`")
            ),
            "']' was found where `,` or `}` is expected. Write the file with a JSON library.",
            "Встретилось ']' там, где ожидается `,` или `}`. Записывайте файл с помощью "
            "библиотеки JSON.",
        ),
        (
            sandbox_texts.DOCKER_FAILED(
                doing=sandbox_texts.REACHING_DOCKER(), reason="no route to host"
            ),
            "connecting to Docker: Docker failed (no route to host).",
            "подключение к Docker: сбой Docker (no route to host).",
        ),
    ],
)
def test_words_within_a_sentence_are_translated_too(
    said: Message, english: str, shown: str
) -> None:
    with override("ru"):
        assert (str(said), in_readers_language(said)) == (english, shown)


@pytest.fixture(scope="module")
def site() -> dict[Path, ast.Module]:
    """The modules of the site by their files."""
    return {
        path: ast.parse(path.read_text("utf-8"))
        for package in (leaderboard, evaluation)
        for path in sorted(Path(package.__path__[0]).rglob("*.py"))
        if "engine" not in path.parts and "cli" not in path.parts and "builder" not in path.parts
    }


def test_every_text_of_the_site_is_used(site: dict[Path, ast.Module]) -> None:
    own = {name for name, value in vars(messages).items() if isinstance(value, Text)}
    used = {
        node.attr
        for tree in site.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "messages"
    }
    assert (len(own) > 15, own - used) == (True, set())


def test_what_the_site_raises_and_may_store_has_a_code(site: dict[Path, ast.Module]) -> None:
    raised = [
        (f"{path.name}:{node.lineno}", ast.unparse(node.args[0]))
        for path, tree in site.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.args
        if ast.unparse(node.func) in ("UploadError", "EndpointError", "SandboxError")
    ]
    assert len(raised) > 10
    assert [one for one in raised if not one[1].startswith("messages.")] == []


# --- Stored -------------------------------------------------------------------------------


def reread(value: Any) -> Any:
    field = MessageField()
    return field.from_db_value(field.get_prep_value(value), None, None)


@settings(deadline=None)
@given(
    st.sampled_from(list(TEXTS.values())), st.lists(st.text(max_size=20), min_size=4, max_size=4)
)
def test_a_stored_sentence_is_shown_as_it_was_said(text: Text, values: list[str]) -> None:
    said = filled(text, values)
    for code in CODES:
        with override(code):
            assert in_readers_language(reread(said)) == in_readers_language(said)
            assert reread([{"why": (said, 1)}]) == [{"why": [reread(said), 1]}]


@pytest.mark.parametrize(
    "value",
    [
        "",
        None,
        "Its worker was stopped.",
        {"code": 1, "params": 2},
        {"code": "site.fault", "params": {"code": "", "params": {}}},
    ],
)
def test_what_is_no_message_is_read_as_it_was(value: Any) -> None:
    assert reread(value) == value
    assert reread({"header": value}) == {"header": value}


def test_a_message_whose_text_is_gone_is_its_code() -> None:
    assert reread(Text("site.earlier", "Earlier.")()) == "site.earlier"


@pytest.mark.django_db
def test_an_upload_keeps_what_its_report_says_and_why_it_failed(cast: Cast) -> None:
    content = predictions(cast.rucodeeval) + b'{"task_id": 9, "outputs": 5}\n'
    row = received(cast.entrant(), cast.alice, cast.rucodeeval, content)
    claimed = intake.claim_upload(pk=row.pk, owner="w", state=UploadState.RECEIVED)
    assert claimed is not None
    assert intake.check_upload(upload=claimed)
    row.refresh_from_db()
    (problem,) = row.report["problems"]
    with override("ru"):
        assert in_readers_language(problem["sentence"]) == (
            "`outputs` — число, а нужна строка или список строк."
        )


@pytest.mark.django_db
def test_an_upload_that_fails_on_our_side_keeps_the_cause(cast: Cast) -> None:
    row = received(cast.entrant(), cast.alice, cast.rucodeeval, predictions(cast.rucodeeval))
    for _ in range(intake.MOST_TRIES):
        claimed = intake.claim_upload(pk=row.pk, owner="w", state=UploadState.RECEIVED)
        assert claimed is not None
        assert intake.take_back_upload(upload=claimed, cause=FAULT(kind="\0 \ud800"))
        row.refresh_from_db()
        with override("ru"):
            told = in_readers_language(row.cause)
            assert told.startswith("Внутренняя ошибка (\N{REPLACEMENT CHARACTER} ?).")
    assert row.state == UploadState.REFUSED
    (problem,) = row.report["problems"]
    with override("ru"):
        assert in_readers_language(problem["sentence"]).startswith(
            "Сбой произошёл на нашей стороне"
        )


def test_an_upload_that_is_refused_at_once_is_refused_in_the_reader_s_language() -> None:
    refused = UploadError(messages.NO_SETTING())
    with override("ru"):
        said = in_readers_language(refused.message)
        assert said.startswith("Режима с таким названием нет.")
