"""Tests of sentences with codes: all are translated, and stored ones are shown in the reader's
language."""

import ast
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
from evaluation.engine.records import Slot, Task
from evaluation.engine.texts import Message, Text
from evaluation.engine.uploads import SlotIndex, check
from evaluation.engine.uploads import texts as upload_texts
from leaderboard import messages
from leaderboard.messages import FAILED_HERE, FAULT, TEXTS, MessageField, in_readers_language
from leaderboard.submissions import intake
from leaderboard.submissions.models import UploadState
from leaderboard.text import storable
from tests.evaluation.engine.uploads import test_kinds, test_problems, test_source, test_transcripts
from tests.evaluation.engine.uploads.conftest import Put, lines, put, zipped
from tests.leaderboard.pages.submissions.visits import received
from tests.support.cast import Cast, predictions

__all__ = ["put"]

pytestmark = pytest.mark.any_database

CODES = ("ru", "zh-hans")
PLACE = re.compile(r"%\((\w+)\)([sd])")
# A separator of values in a sentence has a Latin letter or a blank; these have neither.
ODD = st.lists(
    st.sampled_from(["%", "%(", ")s", "\n", "'", '"', "`", "\\", "{", "}", "ж", "题", "7"])
)
ODD_VALUES = ODD.map("".join)

every_language = pytest.mark.parametrize("code", CODES)


def filled(text: Text, values: Sequence[str]) -> Message:
    """The message with odd values in places for words, and numbers in places for numbers."""
    params = {
        name: value if kind == "s" else len(value)
        for (name, kind), value in zip(PLACE.findall(text.template), values, strict=False)
    }
    return text(**params)


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


def test_every_problem_of_an_upload_has_a_code() -> None:
    """tests/evaluation/engine/test_catalogue.py asks the same of what the engine raises."""
    uploads = Path(evaluation.__path__[0], "engine/uploads")
    sentences = [
        (path.name, node.args[0])
        for path in uploads.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) == "Problem"
    ]
    assert len(sentences) > 15
    literals = ast.Constant | ast.JoinedStr | ast.BinOp
    assert [name for name, said in sentences if isinstance(said, literals)] == []


def broken_files() -> Iterator[tuple[bytes | str, SlotIndex, str]]:
    """Content, index and family, from the parameters of the engine's own tests."""
    tasks = [Task(1, {}, {}), Task(2, {}, {})]
    plain = SlotIndex.of(tasks, lambda _: [Slot()])
    parted = SlotIndex.of(tasks, lambda _: [Slot("A", 1), Slot("B", 2)])
    bad = b"\n".join(line for line, *_ in test_problems.BAD_LINES) + b"\n"
    of_a = b'{"task_id": 1, "requirement": "A", "outputs": ["", "x"]}\n'
    of_d = bad.replace(b'"task_id"', b'"requirement": "D", "task_id"')
    yield test_problems.GOOD.encode() + bad, plain, ""
    yield of_a * 2 + bad + of_d, parted, ""
    talks = test_transcripts.test_what_cannot_be_right_is_told_with_line_and_task
    transcripts = [test_transcripts.one(talk) for talk, _ in parameters(talks)]
    yield lines(*transcripts, test_transcripts.TWO[1]), test_transcripts.INDEX, ""
    unreadable = test_problems.test_a_file_that_cannot_be_read_at_all_is_one_problem
    unfit = test_problems.test_a_record_that_does_not_go_with_the_others_is_named
    for content, *_ in parameters(unreadable) + parameters(unfit):
        yield content, plain, ""
    for content, _ in parameters(test_kinds.test_a_foreign_file_is_named):
        yield content, plain, ""
    for end in parameters(test_problems.test_a_document_that_does_not_end_well_is_a_problem):
        yield '{"data": {"test": [{"outputs": "x", "meta": {"id": 1}}' + end, plain, ""
    for members, family, _ in parameters(test_source.test_a_zip_must_say_which_file_is_meant):
        yield zipped(members), plain, family


def parameters(test: Any) -> list[Any]:
    return list(test.pytestmark[0].args[1])


def test_what_reports_say_of_broken_files_is_translated(put: Put) -> None:
    sentences: list[str] = []
    for content, index, family in broken_files():
        bounds = replace(test_problems.SMALL, members=5)
        report = check(put(content), index, bounds, family=family)
        sentences += [problem.sentence for problem in report.problems]
        sentences += filter(None, [*report.cautions, report.format_words])
    assert [sentence for sentence in sentences if not isinstance(sentence, Message)] == []
    said = {sentence.text for sentence in sentences if isinstance(sentence, Message)}
    assert len(said) > 50
    for code in CODES:
        with override(code):
            assert [text for text in said if gettext(text.template) == text.template] == []


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
    assert reread(Text("Earlier.", "site.earlier")()) == "site.earlier"


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
